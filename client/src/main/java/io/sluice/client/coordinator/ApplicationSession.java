package io.sluice.client.coordinator;

import io.sluice.proto.ServerId;
import java.util.Collection;
import java.util.Optional;

/**
 * An application's life at the coordinators: registered when first needed, kept alive by renewals
 * on a daemon thread, registered again when a coordinator has forgotten it. Thread-safe. Nothing
 * here throws for what coordinators and servers do: the engine gets a reason and uses its own
 * shuffle.
 */
public interface ApplicationSession extends AutoCloseable {
  /**
   * Asks for servers: one round trip, and a wait of at most the configured patience when no
   * coordinator answers (a single try for each coordinator while they are known to be away).
   *
   * @param shuffle the engine's number, from 0
   * @param partitions 1..2^24-1
   */
  ShuffleRegistration registerShuffle(int shuffle, int partitions);

  /**
   * Asks for one more server for a shuffle that has been registered: each coordinator once. If none
   * answers, a server that the application uses already is as good.
   *
   * @param partitions how many are to move there
   * @param excluded names of servers that will not do
   * @return empty if there is no such server, or the shuffle is not (or no longer) registered
   */
  Optional<ServerId> replacementServer(int shuffle, int partitions, Collection<String> excluded);

  /** Puts a server in that another one, which leaves, copies what it has to. */
  interface MovedShuffles {
    /**
     * Blocks of a shuffle that are at one server are, or soon will be, at another as well. May be
     * said again. Called on the thread that renews the lease.
     *
     * @param from name of the leaving server
     * @return whether whoever asks for the assignment learns it from now on, or nobody needs to
     */
    boolean moved(int shuffle, String from, ServerId to);
  }

  /** Whom to tell of servers that leave; before that, and for null, nobody is told. */
  default void onMoved(MovedShuffles listener) {}

  /**
   * Tells the servers of a shuffle, further ones included, to forget it, in the background and best
   * effort. A shuffle that was never assigned is ignored.
   */
  void unregisterShuffle(int shuffle);

  /** Ends the application at the coordinators and servers, within a bounded time. Idempotent. */
  @Override
  void close();
}
