package io.sluice.server.catalog;

import io.sluice.server.log.ShuffleKey;

/**
 * A shuffle that has been forgotten: late pushes to it are refused, in later lives of the server
 * too.
 *
 * @param buriedAtMs when, in milliseconds since 1970
 */
public record Tombstone(ShuffleKey shuffle, long buriedAtMs) {}
