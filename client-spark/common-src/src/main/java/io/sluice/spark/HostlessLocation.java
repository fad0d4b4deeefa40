package io.sluice.spark;

import java.io.Serial;
import org.apache.spark.SparkContext$;
import org.apache.spark.storage.BlockManagerId;

/**
 * A placeholder location (see {@link MapLocation}) as the driver's map output tracker stores it:
 * with a null host. Spark ignores preferred locations that are null. With any other host name,
 * reduce tasks would wait for it for {@code spark.locality.wait} (with a local master: for ever),
 * and the cluster manager would resolve its rack.
 *
 * <p>It is serialized as the placeholder itself, so executors see no difference.
 */
final class HostlessLocation extends BlockManagerId {
  private static final long serialVersionUID = 1L;

  private final transient BlockManagerId placeholder;

  HostlessLocation(BlockManagerId placeholder) {
    super(
        placeholder.executorId(),
        placeholder.host(),
        placeholder.port(),
        placeholder.topologyInfo());
    this.placeholder = placeholder;
  }

  BlockManagerId placeholder() {
    return placeholder;
  }

  @Override
  public String host() {
    return null;
  }

  /**
   * The id of the driver. When a shuffle is removed, Spark asks the external shuffle service to
   * delete the files of removed executors at each output's location. The driver is never a removed
   * executor, so no such request is sent.
   */
  @Override
  public String executorId() {
    return SparkContext$.MODULE$.DRIVER_IDENTIFIER();
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof HostlessLocation that && placeholder.equals(that.placeholder);
  }

  @Override
  public int hashCode() {
    return placeholder.hashCode();
  }

  @Override
  public String toString() {
    return placeholder.toString();
  }

  @Serial
  private Object writeReplace() {
    return placeholder;
  }
}
