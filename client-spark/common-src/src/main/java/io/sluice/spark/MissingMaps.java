package io.sluice.spark;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Lost map attempts and the servers that caused the loss, encoded as text in the message of a fetch
 * failure.
 *
 * <p>Spark's fetch failure names one map task, and a stage may fail only a few times ({@code
 * spark.stage.maxConsecutiveAttempts}). A restarted server has lost blocks of every map task; with
 * one map task per failure, the job would fail. So a reader names all attempts that it found
 * missing, and the driver unregisters them together.
 *
 * <pre>
 *  missing  := "missing-maps[" attempt *( "," attempt ) "]"
 *  attempt  := map index ":" map attempt id       both decimal
 *  servers  := ( "blamed" | "silent" ) "-servers[" [ name *( "," name ) ] "]"
 *  receipts := "wrong-receipts[" number "]"
 * </pre>
 *
 * <p>Blamed servers have lost data or did not answer; if no server reported a loss, all servers
 * that were asked are blamed. Silent servers did not answer. Receipts of some of the attempts can
 * be wrong: their records do not match.
 */
public final class MissingMaps {
  private static final Pattern TEXT = Pattern.compile("missing-maps\\[([0-9:,]+)]");
  private static final Pattern BLAMED = Pattern.compile("blamed-servers\\[([^\\]]+)]");
  private static final Pattern RECEIPTS = Pattern.compile("wrong-receipts\\[([0-9]{1,9})]");
  private static final Pattern SILENT = Pattern.compile("silent-servers\\[([^\\]]+)]");

  /**
   * One attempt.
   *
   * @param mapIndex index of the map task in the shuffle
   * @param mapId Spark's id of the attempt
   */
  public record Attempt(int mapIndex, long mapId) {}

  private MissingMaps() {}

  public static String text(Collection<Attempt> attempts) {
    return attempts.stream()
        .distinct()
        .map(attempt -> attempt.mapIndex() + ":" + attempt.mapId())
        .collect(Collectors.joining(",", "missing-maps[", "]"));
  }

  /** The attempts that a message names; empty if it names none. */
  public static List<Attempt> in(String message) {
    List<Attempt> attempts = new ArrayList<>();
    Matcher matcher = TEXT.matcher(message);
    if (matcher.find()) {
      for (String one : matcher.group(1).split(",", -1)) {
        int colon = one.indexOf(':');
        try {
          attempts.add(
              new Attempt(
                  Integer.parseInt(one.substring(0, Math.max(0, colon))),
                  Long.parseLong(one.substring(colon + 1))));
        } catch (NumberFormatException e) {
          // Not written by Sluice: Spark still unregisters the output that the failure itself
          // names.
          return List.of();
        }
      }
    }
    return attempts;
  }

  /** Servers as text, without names that contain a separator. */
  public static String servers(Collection<String> blamed, Collection<String> silent) {
    return "blamed-servers[" + names(blamed) + "] silent-servers[" + names(silent) + "]";
  }

  private static String names(Collection<String> servers) {
    return servers.stream()
        .distinct()
        .filter(name -> name.indexOf(',') < 0 && name.indexOf(']') < 0)
        .collect(Collectors.joining(","));
  }

  /** The servers that a message blames. */
  public static List<String> blamedServersIn(String message) {
    return found(BLAMED, message);
  }

  /** The servers that did not answer, according to a message. */
  public static List<String> silentServersIn(String message) {
    return found(SILENT, message);
  }

  /** The number of attempts whose records do not match their receipts, as text. */
  public static String wrongReceipts(long attempts) {
    return "wrong-receipts[" + attempts + "]";
  }

  /** The number of attempts whose records do not match their receipts, according to a message. */
  public static int wrongReceiptsIn(String message) {
    Matcher matcher = RECEIPTS.matcher(message);
    return matcher.find() ? Integer.parseInt(matcher.group(1)) : 0;
  }

  private static List<String> found(Pattern pattern, String message) {
    Matcher matcher = pattern.matcher(message);
    return matcher.find() ? List.of(matcher.group(1).split(",", -1)) : List.of();
  }
}
