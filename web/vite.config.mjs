import { defineConfig } from "vite";

// The mock of the server; the real one answers its own page only.
const server = "http://127.0.0.1:8123";

export default defineConfig({
  build: {
    target: "es2022",
    // The policy of the server allows no data: scripts, and the binary embeds plain files.
    assetsInlineLimit: 0,
    modulePreload: false,
    chunkSizeWarningLimit: 800,
  },
  server: {
    host: "127.0.0.1",
    port: 5173,
    proxy: { "/api": { target: server, ws: true }, "/files": server },
  },
});
