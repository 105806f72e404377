"""Programs that use the server: where each keeps its configuration, and how it is edited without losing a byte."""
