"""Reading session transcripts and the hooks' own events: audit and stats."""
