'use client';
import { useEffect } from 'react';
import { draw } from '../draw.js';

/** Draws in the page, asks the route, and puts all three tokens into the title. */
export function ClientToken() {
  useEffect(() => {
    const tokens = async () => {
      const route = await (await fetch('/api/token')).text();
      return [document.getElementById('server').textContent, await draw(), route];
    };
    tokens().then(
      (all) => {
        document.title = new Set(all.map(String)).size === 1 ? String(all[0]) : all.join(' ');
      },
      (error) => {
        document.title = String(error);
      },
    );
  }, []);
  return null;
}
