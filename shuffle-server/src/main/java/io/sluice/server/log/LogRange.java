package io.sluice.server.log;

/** Bytes of a partition by logical offset. */
public record LogRange(int partition, long offset, long length) {}
