package io.sluice.spark.local;

import java.util.Map;
import org.apache.spark.storage.BlockManagerId;

/**
 * A map attempt that has local output, as one reduce task sees it.
 *
 * @param at the block manager or external shuffle service that serves it
 * @param bytesOfPartition of each partition that the task reads, about how much the attempt has for
 *     it, at servers and locally together
 */
public record LocalAttempt(BlockManagerId at, Map<Integer, Long> bytesOfPartition) {}
