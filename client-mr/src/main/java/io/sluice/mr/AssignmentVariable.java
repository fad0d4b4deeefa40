package io.sluice.mr;

import io.sluice.client.coordinator.ShuffleAssignment;
import io.sluice.common.error.SluiceException;
import io.sluice.common.error.StatusCode;
import java.util.Base64;
import java.util.Map;
import java.util.Optional;

/**
 * The way of a shuffle's assignment from the application master to its tasks: an environment
 * variable of their containers. A container without it shuffles as Hadoop does.
 */
public final class AssignmentVariable {
  /** The only shuffle of a job. */
  public static final int SHUFFLE = 0;

  static final String VARIABLE = "SLUICE_SHUFFLE_ASSIGNMENT";

  /** Linux takes no more than 128 KiB for one variable. */
  static final int MAX_LENGTH = 100_000;

  private AssignmentVariable() {}

  /**
   * Adds the assignment to the environment of a container.
   *
   * @throws SluiceException INTERNAL if it is too long for that
   */
  public static void put(Map<String, String> environment, ShuffleAssignment assignment)
      throws SluiceException {
    environment.put(VARIABLE, encode(assignment));
  }

  /**
   * Whether an assignment can be given to containers.
   *
   * @throws SluiceException INTERNAL if it is too long for that
   */
  public static void check(ShuffleAssignment assignment) throws SluiceException {
    encode(assignment);
  }

  static String encode(ShuffleAssignment assignment) throws SluiceException {
    String text = Base64.getUrlEncoder().withoutPadding().encodeToString(assignment.toBytes());
    if (text.length() > MAX_LENGTH) {
      throw new SluiceException(
          StatusCode.INTERNAL,
          "the assignment takes "
              + text.length()
              + " characters, containers get at most "
              + MAX_LENGTH
              + "; set mapreduce.rss.client.assignment.shuffle.nodes.max to fewer servers");
    }
    return text;
  }

  /**
   * Reads what the application master gave to this process.
   *
   * @param environment of the process
   * @return empty if the job shuffles as Hadoop does
   * @throws SluiceException if another version of Sluice, or somebody else, wrote it
   */
  public static Optional<ShuffleAssignment> from(Map<String, String> environment)
      throws SluiceException {
    String text = environment.get(VARIABLE);
    if (text == null) {
      return Optional.empty();
    }
    return Optional.of(decode(text));
  }

  static ShuffleAssignment decode(String text) throws SluiceException {
    byte[] bytes;
    try {
      bytes = Base64.getUrlDecoder().decode(text);
    } catch (IllegalArgumentException e) {
      throw new SluiceException(
          StatusCode.BAD_MESSAGE,
          "the assignment in " + VARIABLE + " or in a completion event is damaged",
          e);
    }
    return ShuffleAssignment.fromBytes(bytes);
  }
}
