package io.sluice.spark.ui;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonProperty;
import io.sluice.spark.stats.ShuffleCounters;
import java.util.List;
import org.apache.spark.scheduler.SparkListenerEvent;
import org.apache.spark.util.kvstore.KVIndex;

/**
 * How one shuffle stands: an event on Spark's bus and in its event log, and a row of its status
 * store, under the shuffle's number. A class with public fields because both look for those.
 * Immutable.
 */
public final class ShuffleState implements SparkListenerEvent {
  @KVIndex public final int shuffleId;

  /** Reduce partitions. */
  public final int partitions;

  /** Names of the servers that hold or held it, in the order in which they joined. */
  public final List<String> servers;

  /** Changes of its assignment. */
  public final int generation;

  /** Why it is Spark's own shuffle; empty if it goes through Sluice. */
  public final String refusal;

  public final ShuffleCounters counters;

  /** Called with what was read of an event log or store, too. */
  @JsonCreator
  public ShuffleState(
      @JsonProperty("shuffleId") int shuffleId,
      @JsonProperty("partitions") int partitions,
      @JsonProperty("servers") List<String> servers,
      @JsonProperty("generation") int generation,
      @JsonProperty("refusal") String refusal,
      @JsonProperty("counters") ShuffleCounters counters) {
    this.shuffleId = shuffleId;
    this.partitions = partitions;
    this.servers = servers == null ? List.of() : List.copyOf(servers);
    this.generation = generation;
    this.refusal = refusal == null ? "" : refusal;
    this.counters = counters == null ? ShuffleCounters.ZERO : counters;
  }
}
