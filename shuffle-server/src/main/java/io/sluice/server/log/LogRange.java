package io.sluice.server.log;

/** Range of bytes of a partition, by logical offset. */
public record LogRange(int partition, long offset, long length) {}
