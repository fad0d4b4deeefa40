package io.sluice.spark;

import java.io.Serial;
import org.apache.spark.SparkContext$;
import org.apache.spark.storage.BlockManagerId;

/**
 * A placeholder (see {@link MapLocation}) as the driver's map output tracker stores it: without a
 * host. Spark ignores preferred locations that are null, so a reduce task gets none from it. Any
 * other name is a preferred location: tasks wait for it for {@code spark.locality.wait}, with a
 * local master for ever, and a cluster manager resolves its rack.
 *
 * <p>Serialized, it is the placeholder: executors see no difference.
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
   * The driver. When a shuffle is removed, Spark asks the external shuffle service at the location
   * of each output to delete the files of executors that are gone; the driver never is.
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
