package io.sluice.spark;

import org.apache.spark.storage.BlockManagerId;
import org.apache.spark.storage.BlockManagerId$;
import scala.Option;

/**
 * Where Spark is told that a map attempt's output lies. Spark wants an executor; the output lies on
 * no executor, so each attempt names one that does not exist and that no other attempt names.
 *
 * <p>A fetch failure that names it makes Spark forget exactly that attempt's output (and "remove"
 * an executor that nobody knows, which does nothing). The loss of a real executor forgets nothing
 * of ours. All attempts share one made-up host: Spark prefers to run a task near its input, but
 * only waits for hosts that are alive, so none is waited for; and one name is all that a cluster
 * manager is ever asked to map to a rack.
 */
public final class MapLocation {
  /** Reserved for names that never resolve (RFC 2606). */
  private static final String HOST = "sluice.invalid";

  private static final String EXECUTOR_PREFIX = "sluice-";

  /** Spark insists on one above 0. */
  private static final int PORT = 1;

  private MapLocation() {}

  /** The location of the attempt with this id, unique in its application. */
  public static BlockManagerId of(long mapId) {
    return BlockManagerId$.MODULE$.apply(EXECUTOR_PREFIX + mapId, HOST, PORT, Option.empty());
  }
}
