// Base64 with the alphabet of URLs and without padding (RFC 4648): signatures, and keys as services tell them.

export function base64(bytes) {
  return btoa(String.fromCharCode(...bytes)).replace(/\+/g, '-').replace(/\//g, '_').replace(/=/g, '');
}

/** The bytes of a text; `undefined` for anything that `base64` would not write. */
export function unbase64(text) {
  if (!/^[\w-]*$/.test(text) || text.length % 4 === 1) return undefined;
  const bytes = Uint8Array.from(atob(text.replace(/-/g, '+').replace(/_/g, '/')), (c) => c.charCodeAt(0));
  return base64(bytes) === text ? bytes : undefined;
}
