package org.apache.spark.shuffle;

import io.sluice.client.SluiceClient;
import io.sluice.client.coordinator.ShuffleAssignment;
import io.sluice.common.auth.ApplicationCredential;
import io.sluice.common.auth.ApplicationCredentials;
import io.sluice.common.error.SluiceException;
import io.sluice.spark.TrackedShuffle;
import io.sluice.spark.stats.ShuffleStatistics;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import org.apache.spark.ShuffleDependency;

/**
 * Handle of a shuffle that uses Sluice; carries its assignment to every task. The driver always
 * serializes the newest assignment when it submits a stage, so the tasks know every server that
 * earlier stages used. Thread-safe.
 */
public final class RssShuffleHandle<K, V, C> extends BaseShuffleHandle<K, V, C> {
  private static final long serialVersionUID = 5L;

  private transient ShuffleAssignment carried;

  private transient boolean carriedRemoved;

  /**
   * In executors: the application's credential, or null. Secret: it is sent only in Spark's task
   * descriptions.
   */
  private transient byte[] carriedCredential;

  private final ShuffleStatistics statistics;

  /** Null in executors. */
  private final transient TrackedShuffle tracked;

  /** Null in executors. */
  private final transient ApplicationCredentials credentials;

  /**
   * @param carried the assignment at registration
   * @param statistics registered with Spark
   * @param credentials credentials of the application
   */
  public RssShuffleHandle(
      int shuffleId,
      ShuffleDependency<K, V, C> dependency,
      ShuffleAssignment carried,
      ShuffleStatistics statistics,
      TrackedShuffle tracked,
      ApplicationCredentials credentials) {
    super(shuffleId, dependency);
    this.carried = carried;
    this.statistics = statistics;
    this.tracked = tracked;
    this.credentials = credentials;
  }

  public ShuffleAssignment assignment() {
    ShuffleAssignment newest = tracked == null ? null : tracked.newest();
    return newest == null ? carried : newest;
  }

  /**
   * Whether Spark has removed the shuffle before this stage recomputes it, for example after {@code
   * RDD.cleanShuffleDependencies}. Servers then refuse its blocks.
   */
  boolean isRemoved() {
    return tracked == null ? carriedRemoved : tracked.newest() == null;
  }

  /** Accumulator to which tasks add their counters. */
  public ShuffleStatistics statistics() {
    return statistics;
  }

  /** Passes the application's credential to an executor's client. */
  void passCredential(SluiceClient client) {
    if (carriedCredential != null) {
      try {
        client.credentials().update(ApplicationCredential.fromBytes(carriedCredential));
      } catch (SluiceException e) {
        throw new IllegalStateException(
            "invalid application credential in the shuffle handle: driver and executor must use"
                + " the same version of Sluice",
            e);
      }
    }
  }

  private static byte[] bytes(ApplicationCredentials credentials) {
    return credentials.newest().map(ApplicationCredential::toBytes).orElse(null);
  }

  private void writeObject(ObjectOutputStream out) throws IOException {
    if (tracked != null) {
      tracked.beforeStage();
    }
    out.defaultWriteObject();
    out.writeObject(assignment());
    out.writeBoolean(isRemoved());
    out.writeObject(credentials == null ? carriedCredential : bytes(credentials));
  }

  private void readObject(ObjectInputStream in) throws IOException, ClassNotFoundException {
    in.defaultReadObject();
    carried = (ShuffleAssignment) in.readObject();
    carriedRemoved = in.readBoolean();
    carriedCredential = (byte[]) in.readObject();
  }
}
