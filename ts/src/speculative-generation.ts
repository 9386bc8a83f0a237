export { errorCodes, SamplerError, type ErrorCode } from './errors.js';
