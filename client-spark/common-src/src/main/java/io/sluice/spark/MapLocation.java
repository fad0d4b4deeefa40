package io.sluice.spark;

import java.util.Collection;
import java.util.Optional;
import java.util.stream.Collectors;
import org.apache.spark.scheduler.MapStatus;
import org.apache.spark.storage.BlockManagerId;
import org.apache.spark.storage.BlockManagerId$;
import scala.Option;

/**
 * The location of a map attempt's output in Spark's map statuses. Spark expects an executor; the
 * output is on shuffle servers, so each attempt names a placeholder: an executor that does not
 * exist and that no other attempt names, on a placeholder host.
 *
 * <p>A fetch failure that names the placeholder makes Spark forget exactly that attempt's output
 * (and remove an unknown executor, which does nothing). The loss of a real executor forgets no
 * output that is on servers. The driver stores placeholders as {@link HostlessLocation}, so that
 * none becomes the preferred location of a task.
 *
 * <p>The topology field of the location, which Spark reads only for live executors, names the
 * executor that ran the attempt and describes its local output, if any:
 *
 * <pre>
 *  topology := "sluice-remote" TAB executor id
 *            | "sluice-local" TAB need TAB port TAB host TAB executor id
 *  need     := "needed"    local output has the only copy of some blocks
 *            | "spare"     servers may also store every block
 * </pre>
 *
 * <p>When Spark moves the shuffle files of a decommissioned executor, it replaces this location by
 * the real executor that received the files. Local output is then served by that executor ({@link
 * #localOf}).
 */
public final class MapLocation {
  /** Reserved for names that never resolve (RFC 2606). */
  private static final String HOST = "sluice.invalid";

  /**
   * Begin of the host in a fetch failure, which Spark's pages show: the names of servers follow.
   * The equals sign cannot be in the host name of an executor.
   */
  private static final String FAILED_HOST_PREFIX = "shuffle-servers=";

  /** Maximum number of servers that the host of a fetch failure names. */
  private static final int MAX_NAMED_SERVERS = 3;

  private static final String EXECUTOR_PREFIX = "sluice-";

  /** Spark requires a port above 0. */
  private static final int PORT = 1;

  private static final String REMOTE = "sluice-remote";
  private static final String LOCAL = "sluice-local";
  private static final String NEEDED = "needed";
  private static final String SPARE = "spare";
  private static final String SEPARATOR = "\t";
  private static final int REMOTE_FIELDS = 2;
  private static final int LOCAL_FIELDS = 5;

  /**
   * The local output of an attempt.
   *
   * @param at the block manager or external shuffle service that serves it
   * @param needed whether it has the only copy of some blocks
   */
  public record Local(BlockManagerId at, boolean needed) {}

  private MapLocation() {}

  /**
   * The location that names an attempt in a fetch failure; attempt ids are unique per application.
   */
  public static BlockManagerId of(long mapId) {
    return location(mapId, Option.empty());
  }

  /**
   * The location that names an attempt in a fetch failure. Its host is text for users, with the
   * servers that caused the failure.
   */
  public static BlockManagerId failed(long mapId, Collection<String> servers) {
    String named =
        servers.stream()
            .limit(MAX_NAMED_SERVERS)
            // Spark refuses a colon in a host name.
            .map(server -> server.substring(0, portIndex(server)).replace(':', '-'))
            .collect(Collectors.joining(","));
    int more = servers.size() - MAX_NAMED_SERVERS;
    String host = FAILED_HOST_PREFIX + named + (more > 0 ? ",+" + more : "");
    return BlockManagerId$.MODULE$.apply(EXECUTOR_PREFIX + mapId, host, PORT, Option.empty());
  }

  private static int portIndex(String server) {
    int colon = server.lastIndexOf(':');
    return colon < 0 ? server.length() : colon;
  }

  /**
   * The location of an attempt without local output.
   *
   * @param executor the executor that ran it
   */
  public static BlockManagerId atServers(long mapId, String executor) {
    return location(mapId, Option.apply(REMOTE + SEPARATOR + executor));
  }

  /**
   * The location of an attempt that has local output.
   *
   * @param at block manager or external shuffle service that serves the local output, with the id
   *     of the executor that ran the attempt
   * @param needed whether local output has the only copy of some blocks
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

  /** The location that the driver's map output tracker stores in place of this one. */
  static BlockManagerId stored(BlockManagerId location) {
    return location.host() != null && location.host().equals(HOST)
        ? new HostlessLocation(location)
        : location;
  }

  /** The placeholder of an attempt; null if the location is a real executor. */
  private static BlockManagerId placeholder(BlockManagerId location) {
    if (location instanceof HostlessLocation hostless) {
      return hostless.placeholder();
    }
    return location.host().equals(HOST) || location.host().startsWith(FAILED_HOST_PREFIX)
        ? location
        : null;
  }

  /** Whether this is a placeholder rather than a real executor. */
  static boolean isPlaceholder(BlockManagerId location) {
    return placeholder(location) != null;
  }

  /** Whether this is the placeholder of the attempt with this id. */
  public static boolean isPlaceholder(BlockManagerId location, long mapId) {
    BlockManagerId placeholder = placeholder(location);
    return placeholder != null && placeholder.executorId().equals(EXECUTOR_PREFIX + mapId);
  }

  /** Whether an attempt's output was written by an executor, or has been moved to it. */
  static boolean isOf(BlockManagerId location, String executor) {
    BlockManagerId placeholder = placeholder(location);
    if (placeholder == null) {
      return location.executorId().equals(executor);
    }
    String[] fields = fields(placeholder);
    return fields.length > 0 && fields[fields.length - 1].equals(executor);
  }

  /**
   * Whether a fetch failure concerns an output: it names the placeholder of its attempt, the
   * executor that wrote it, or the block manager that it has been moved to.
   */
  static boolean isNamedBy(BlockManagerId failed, MapStatus output) {
    if (isPlaceholder(failed)) {
      return isPlaceholder(failed, output.mapId());
    }
    return isPlaceholder(output.location())
        ? isOf(output.location(), failed.executorId())
        : output.location().equals(failed);
  }

  /** The local output of an attempt with this location; empty if it has none. */
  public static Optional<Local> localOf(BlockManagerId location) {
    BlockManagerId placeholder = placeholder(location);
    if (placeholder == null) {
      // Spark moved the files to this executor, which may have the only copy of some blocks.
      return Optional.of(new Local(location, true));
    }
    String[] fields = fields(placeholder);
    if (fields.length != LOCAL_FIELDS) {
      return Optional.empty();
    }
    BlockManagerId at =
        BlockManagerId$.MODULE$.apply(
            fields[4], fields[3], Integer.parseInt(fields[2]), Option.empty());
    return Optional.of(new Local(at, fields[1].equals(NEEDED)));
  }

  /** The executor comes last; empty if a fetch failure names only the attempt. */
  private static String[] fields(BlockManagerId placeholder) {
    if (placeholder.topologyInfo().isEmpty()) {
      return new String[0];
    }
    String topology = placeholder.topologyInfo().get();
    String[] local = topology.split(SEPARATOR, LOCAL_FIELDS);
    if (local.length == LOCAL_FIELDS && local[0].equals(LOCAL)) {
      return local;
    }
    String[] remote = topology.split(SEPARATOR, REMOTE_FIELDS);
    if (remote.length == REMOTE_FIELDS && remote[0].equals(REMOTE)) {
      return remote;
    }
    throw new IllegalArgumentException("not a location of a map output: " + placeholder);
  }
}
