"""Makes `data/samples` with the real pi, a loopback server and a scene per session."""
