package io.sluice.client.coordinator;

import io.sluice.proto.ServerId;
import io.sluice.proto.ShuffleReceipts;
import io.sluice.proto.TaskReport;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Registration and lease of an application at the coordinators. The application is registered with
 * its first shuffle, and again after a coordinator has lost its registration. A daemon thread
 * renews the lease. Thread-safe. No method throws for a failure of coordinators or servers: the
 * engine gets the reason and uses its built-in shuffle.
 */
public interface ApplicationSession extends AutoCloseable {
  /** Maximum number of shuffles whose receipts a renewal of the lease reports. */
  int MAX_RECEIPTS = 256;

  /**
   * Requests servers for a shuffle: one round trip. If no coordinator replies, the call retries for
   * the configured retry period; while coordinators are known to be unreachable, it tries each of
   * them once.
   *
   * @param shuffle number of the shuffle in the engine, from 0
   * @param partitions 1..2^24-1
   */
  ShuffleRegistration registerShuffle(int shuffle, int partitions);

  /**
   * Requests a replacement or additional server for a registered shuffle; tries each coordinator
   * once. If none replies, it returns a server that the application already uses.
   *
   * @param partitions number of partitions for the new server
   * @param excluded names of servers that must not be returned
   * @param zone preferred zone, that of the server to replace; empty: any
   * @return empty if no server is available, or the shuffle is not registered
   */
  Optional<ServerId> replacementServer(
      int shuffle, int partitions, Collection<String> excluded, String zone);

  /** Receives the moves of shuffle data from leaving and lost servers to other servers. */
  interface MovedShuffles {
    /**
     * A leaving server copies its blocks of a shuffle to another server, or that server serves the
     * runs of a lost server on the remote tier. Idempotent. Called by the thread that renews the
     * lease.
     *
     * @param from name of the leaving or lost server
     * @param lost whether that server is lost
     * @return whether later readers of the assignment find the new server, or none needs it
     */
    boolean moved(int shuffle, String from, ServerId to, boolean lost);
  }

  /** Sets the listener of moves; null removes it. Without a listener, moves are not applied. */
  default void onMoved(MovedShuffles listener) {}

  /**
   * Reports that readers got other records of map attempts than these wrote. Operators get the
   * number with the next renewal of the lease.
   *
   * @param attempts number of attempts, in one partition each
   */
  default void reportWrongReceipts(int attempts) {}

  /**
   * Sets the source of the receipts that each renewal of the lease reports to operators.
   *
   * @param receipts returns at most {@link #MAX_RECEIPTS} shuffles; called by the thread that
   *     renews the lease, must not wait
   */
  default void receiptsFrom(Supplier<List<ShuffleReceipts>> receipts) {}

  /**
   * Sets the source of the report about tasks that each renewal of the lease, and the end of the
   * application, send to operators.
   *
   * @param tasks called by the thread that renews the lease and by {@link #close}, must not wait
   */
  default void tasksFrom(Supplier<TaskReport> tasks) {}

  /**
   * Unregisters a shuffle at all its servers, in the background and best effort. A shuffle without
   * assignment is ignored.
   */
  void unregisterShuffle(int shuffle);

  /** Unregisters the application at coordinators and servers, within a bounded time. Idempotent. */
  @Override
  void close();
}
