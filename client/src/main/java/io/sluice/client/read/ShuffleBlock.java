package io.sluice.client.read;

import java.nio.ByteBuffer;

/**
 * One batch of records, as the map task added it with one {@link
 * io.sluice.client.push.PushSession#add} call: whole, verified, decrypted and decompressed. A large
 * batch was sent as several blocks.
 *
 * @param mapAttempt one of the expected attempts
 * @param records number of records in the batch
 * @param content serialized records, from position to limit, at least one byte; lent until the next
 *     call on the read
 */
public record ShuffleBlock(
    int partition, long mapAttempt, int mapIndex, int records, ByteBuffer content) {}
