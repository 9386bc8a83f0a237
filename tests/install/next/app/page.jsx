import { draw } from '../draw.js';
import { ClientToken } from './client-token.jsx';

export const dynamic = 'force-dynamic'; // drawn by the running server, not by the build

/** The token of the server, and those that the page gets. */
export default async function Page() {
  return (
    <>
      <p id="server">{await draw()}</p>
      <ClientToken />
    </>
  );
}
