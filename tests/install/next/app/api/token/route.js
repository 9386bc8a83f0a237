import { draw } from '../../../draw.js';

export const dynamic = 'force-dynamic';
export const GET = async () => new Response(String(await draw()));
