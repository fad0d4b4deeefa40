package io.sluice.spark.local;

import java.util.Map;
import org.apache.spark.storage.BlockManagerId;

/**
 * A map attempt that has local output, as one reduce task sees it.
 *
 * @param at the block manager or external shuffle service that serves it
 * @param bytesOfPartition approximate bytes of the attempt for each partition that the task reads,
 *     at servers and in local output together
 */
public record LocalAttempt(BlockManagerId at, Map<Integer, Long> bytesOfPartition) {}
