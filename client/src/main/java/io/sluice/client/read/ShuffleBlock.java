package io.sluice.client.read;

import java.nio.ByteBuffer;

/**
 * One content as the map side added it: verified, decrypted, decompressed, whole.
 *
 * @param mapAttempt one of the expected attempts
 * @param records records in the content
 * @param content lends until the next call on the read: at least one byte, from position to limit
 */
public record ShuffleBlock(
    int partition, long mapAttempt, int mapIndex, int records, ByteBuffer content) {}
