/** Routes within the application: the part of the address after `#`. */

export type Route =
  | { page: "runs" }
  | { page: "run"; path: string }
  | { page: "compare"; paths: string[] }
  | { page: "live" };

const encode = (path: string) => path.split("/").map(encodeURIComponent).join("/");

export const runsLink = "#/";
export const liveLink = "#/live";

/** A run at the root of the folder has no path. */
export function runLink(path: string): string {
  return `#/run/${encode(path)}`;
}

export function compareLink(paths: string[]): string {
  return `#/compare/${paths.map(encode).join(",")}`;
}

export function parseRoute(hash: string): Route {
  const [page, ...rest] = hash.replace(/^#\/?/, "").split("/");
  const path = rest.join("/");
  if (page === "run") return { page, path: decode(path) };
  if (page === "compare") return { page, paths: path.split(",").map(decode) };
  if (page === "live") return { page };
  return { page: "runs" };
}

/** A typed address may not be decodable: then it is used unchanged. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
