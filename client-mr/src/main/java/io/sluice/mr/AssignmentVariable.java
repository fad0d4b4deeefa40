package io.sluice.mr;

import io.sluice.client.coordinator.ShuffleAssignment;
import io.sluice.common.error.SluiceException;
import io.sluice.common.error.StatusCode;
import java.util.Base64;
import java.util.Map;
import java.util.Optional;

/**
 * Environment variable through which the application master passes the shuffle's assignment to task
 * containers. A task without it uses Hadoop's built-in shuffle.
 */
public final class AssignmentVariable {
  /** Id of the only shuffle of a job. */
  public static final int SHUFFLE = 0;

  static final String VARIABLE = "SLUICE_SHUFFLE_ASSIGNMENT";

  /** Linux limits one variable to 128 KiB. */
  static final int MAX_LENGTH = 100_000;

  private AssignmentVariable() {}

  /**
   * Adds the assignment to the environment of a container.
   *
   * @throws SluiceException INTERNAL if the assignment is too long for a variable
   */
  public static void put(Map<String, String> environment, ShuffleAssignment assignment)
      throws SluiceException {
    environment.put(VARIABLE, encode(assignment));
  }

  /**
   * Checks that an assignment fits into the variable.
   *
   * @throws SluiceException INTERNAL if the assignment is too long for a variable
   */
  public static void check(ShuffleAssignment assignment) throws SluiceException {
    encode(assignment);
  }

  static String encode(ShuffleAssignment assignment) throws SluiceException {
    String text = Base64.getUrlEncoder().withoutPadding().encodeToString(assignment.toBytes());
    if (text.length() > MAX_LENGTH) {
      throw new SluiceException(
          StatusCode.INTERNAL,
          "the assignment has "
              + text.length()
              + " characters, but an environment variable of a container has at most "
              + MAX_LENGTH
              + "; lower mapreduce.rss.client.assignment.shuffle.nodes.max");
    }
    return text;
  }

  /**
   * Reads the assignment of this process.
   *
   * @param environment environment of the process
   * @return empty if the job uses Hadoop's built-in shuffle
   * @throws SluiceException if the value is damaged or of another version of Sluice
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
          "the assignment in " + VARIABLE + " or in a completion event is not valid Base64",
          e);
    }
    return ShuffleAssignment.fromBytes(bytes);
  }
}
