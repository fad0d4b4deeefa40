package org.apache.spark.shuffle;

import io.sluice.client.SluiceClient;
import io.sluice.client.coordinator.ShuffleAssignment;
import io.sluice.common.auth.ApplicationCredential;
import io.sluice.common.auth.ApplicationCredentials;
import io.sluice.common.error.SluiceException;
import io.sluice.spark.stats.ShuffleStatistics;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import org.apache.spark.ShuffleDependency;

/**
 * A shuffle that goes through Sluice; it carries its assignment to every task. In the driver that
 * is always the newest one: a stage's tasks are serialized when the stage is submitted, and so know
 * every server that the stages before it came to use. Thread-safe.
 */
public final class RssShuffleHandle<K, V, C> extends BaseShuffleHandle<K, V, C> {
  private static final long serialVersionUID = 4L;

  private transient ShuffleAssignment carried;

  /**
   * In executors: of the application, or null. Secret: it goes where Spark sends tasks, no further.
   */
  private transient byte[] carriedCredential;

  private final ShuffleStatistics statistics;

  /** Null in executors. */
  private final transient Newest newest;

  /** Null in executors. */
  private final transient ApplicationCredentials credentials;

  /** Where the driver finds the newest assignment of a shuffle. */
  @FunctionalInterface
  public interface Newest {
    /** Null if the shuffle is no longer registered. */
    ShuffleAssignment of(int shuffleId);
  }

  /**
   * @param carried the assignment at registration
   * @param statistics registered with Spark
   * @param credentials of the application
   */
  public RssShuffleHandle(
      int shuffleId,
      ShuffleDependency<K, V, C> dependency,
      ShuffleAssignment carried,
      ShuffleStatistics statistics,
      Newest newest,
      ApplicationCredentials credentials) {
    super(shuffleId, dependency);
    this.carried = carried;
    this.statistics = statistics;
    this.newest = newest;
    this.credentials = credentials;
  }

  public ShuffleAssignment assignment() {
    ShuffleAssignment now = newest == null ? null : newest.of(shuffleId());
    return now == null ? carried : now;
  }

  /** Where this process's tasks add what they did. */
  public ShuffleStatistics statistics() {
    return statistics;
  }

  /** Lets an executor's client prove what the driver proved. */
  void teach(SluiceClient client) {
    if (carriedCredential != null) {
      try {
        client.credentials().learn(ApplicationCredential.fromBytes(carriedCredential));
      } catch (SluiceException e) {
        throw new IllegalStateException("the driver runs another version of Sluice", e);
      }
    }
  }

  private static byte[] bytes(ApplicationCredentials credentials) {
    return credentials.newest().map(ApplicationCredential::toBytes).orElse(null);
  }

  private void writeObject(ObjectOutputStream out) throws IOException {
    out.defaultWriteObject();
    out.writeObject(assignment());
    out.writeObject(credentials == null ? carriedCredential : bytes(credentials));
  }

  private void readObject(ObjectInputStream in) throws IOException, ClassNotFoundException {
    in.defaultReadObject();
    carried = (ShuffleAssignment) in.readObject();
    carriedCredential = (byte[]) in.readObject();
  }
}
