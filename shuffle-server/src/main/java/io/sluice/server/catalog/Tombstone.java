package io.sluice.server.catalog;

import io.sluice.server.log.ShuffleKey;

/**
 * Marks a deleted shuffle: late pushes to it are refused, after a restart too.
 *
 * @param deletedAtMs time of the deletion, in milliseconds since 1970
 */
public record Tombstone(ShuffleKey shuffle, long deletedAtMs) {}
