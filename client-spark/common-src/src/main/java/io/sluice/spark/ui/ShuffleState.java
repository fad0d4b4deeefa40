package io.sluice.spark.ui;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonProperty;
import io.sluice.spark.stats.ShuffleCounters;
import java.util.List;
import org.apache.spark.scheduler.SparkListenerEvent;
import org.apache.spark.util.kvstore.KVIndex;

/**
 * State of one shuffle: an event on Spark's listener bus and in its event log, and a row of its
 * status store with the shuffle id as key. Has public fields, because event log and store serialize
 * those. Immutable.
 */
public final class ShuffleState implements SparkListenerEvent {
  @KVIndex public final int shuffleId;

  /** Number of reduce partitions. */
  public final int partitions;

  /** Names of all servers that the shuffle was ever assigned to, in the order of assignment. */
  public final List<String> servers;

  /** Number of changes of its assignment. */
  public final int generation;

  /** Why it uses Spark's built-in shuffle; empty if it uses Sluice. */
  public final String refusal;

  public final ShuffleCounters counters;

  /** Number of times that a reader got other records of a map attempt than it wrote. */
  public final int wrongReceipts;

  /** Also called to deserialize an event log or store; missing fields are null. */
  @JsonCreator
  public ShuffleState(
      @JsonProperty("shuffleId") int shuffleId,
      @JsonProperty("partitions") int partitions,
      @JsonProperty("servers") List<String> servers,
      @JsonProperty("generation") int generation,
      @JsonProperty("refusal") String refusal,
      @JsonProperty("counters") ShuffleCounters counters,
      @JsonProperty("wrongReceipts") int wrongReceipts) {
    this.shuffleId = shuffleId;
    this.partitions = partitions;
    this.servers = servers == null ? List.of() : List.copyOf(servers);
    this.generation = generation;
    this.refusal = refusal == null ? "" : refusal;
    this.counters = counters == null ? ShuffleCounters.ZERO : counters;
    this.wrongReceipts = wrongReceipts;
  }
}
