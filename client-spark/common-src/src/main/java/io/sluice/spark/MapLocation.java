package io.sluice.spark;

import java.util.Optional;
import org.apache.spark.storage.BlockManagerId;
import org.apache.spark.storage.BlockManagerId$;
import scala.Option;

/**
 * Where Spark is told that a map attempt's output lies. Spark wants an executor; the output lies on
 * no executor, or only in part, so each attempt names one that does not exist and that no other
 * attempt names.
 *
 * <p>A fetch failure that names it makes Spark forget exactly that attempt's output (and "remove"
 * an executor that nobody knows, which does nothing). The loss of a real executor forgets nothing
 * of ours. All attempts share one made-up host: Spark prefers to run a task near its input, but
 * only waits for hosts that are alive, so none is waited for; and one name is all that a cluster
 * manager is ever asked to map to a rack.
 *
 * <p>An attempt with local output says where that is in the part of the location that Spark keeps
 * for rack names and reads of live executors only:
 *
 * <pre>
 *  topology := "sluice-local" TAB need TAB port TAB host TAB executor id
 *  need     := "needed"    some blocks are nowhere else
 *            | "spare"     servers may have every block as well
 * </pre>
 *
 * <p>When Spark moves the shuffle files of an executor that is being decommissioned, it puts a
 * plain, real executor in place of all this: local output is there too ({@link #localOf}).
 */
public final class MapLocation {
  /** Reserved for names that never resolve (RFC 2606). */
  private static final String HOST = "sluice.invalid";

  private static final String EXECUTOR_PREFIX = "sluice-";

  /** Spark insists on one above 0. */
  private static final int PORT = 1;

  private static final String LOCAL = "sluice-local";
  private static final String NEEDED = "needed";
  private static final String SPARE = "spare";
  private static final String SEPARATOR = "\t";
  private static final int FIELDS = 5;

  /**
   * The local output of an attempt.
   *
   * @param at the block manager or external shuffle service that serves it
   * @param needed whether some of its blocks are nowhere else
   */
  public record Local(BlockManagerId at, boolean needed) {}

  private MapLocation() {}

  /** The location of the attempt with this id, unique in its application. */
  public static BlockManagerId of(long mapId) {
    return location(mapId, Option.empty());
  }

  /**
   * The location of an attempt that has local output.
   *
   * @param at what serves the local output
   * @param needed whether some of its blocks are nowhere else
   */
  public static BlockManagerId withLocal(long mapId, BlockManagerId at, boolean needed) {
    return location(
        mapId,
        Option.apply(
            String.join(
                SEPARATOR,
                LOCAL,
                needed ? NEEDED : SPARE,
                Integer.toString(at.port()),
                at.host(),
                at.executorId())));
  }

  private static BlockManagerId location(long mapId, Option<String> topology) {
    return BlockManagerId$.MODULE$.apply(EXECUTOR_PREFIX + mapId, HOST, PORT, topology);
  }

  /** Whether this is a location made here for the attempt with this id. */
  public static boolean isMadeUp(BlockManagerId location, long mapId) {
    return location.host().equals(HOST) && location.executorId().equals(EXECUTOR_PREFIX + mapId);
  }

  /** The local output of an attempt with this location; empty if it has none. */
  public static Optional<Local> localOf(BlockManagerId location) {
    if (!location.host().equals(HOST)) {
      // What Spark has moved there was needed by somebody, or may have been.
      return Optional.of(new Local(location, true));
    }
    if (location.topologyInfo().isEmpty()) {
      return Optional.empty();
    }
    String[] fields = location.topologyInfo().get().split(SEPARATOR, FIELDS);
    if (fields.length != FIELDS || !fields[0].equals(LOCAL)) {
      throw new IllegalArgumentException("not a location of a map output: " + location);
    }
    BlockManagerId at =
        BlockManagerId$.MODULE$.apply(
            fields[4], fields[3], Integer.parseInt(fields[2]), Option.empty());
    return Optional.of(new Local(at, fields[1].equals(NEEDED)));
  }
}
