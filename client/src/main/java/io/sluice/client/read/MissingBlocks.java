package io.sluice.client.read;

import java.io.Serializable;
import java.util.List;

/**
 * What one attempt should have left in one partition and did not, or not wholly.
 *
 * @param answers of the servers that were asked, last one last
 * @param detail what explains the reason, and what local output said if it was asked; one line
 */
public record MissingBlocks(
    int partition,
    long mapAttempt,
    int mapIndex,
    Reason reason,
    List<Answer> answers,
    String detail)
    implements Serializable {

  /** Why blocks are missing: of all that servers and local output said, what explains most. */
  public enum Reason {
    /** The server that should hold them never heard of them. */
    NEVER_WRITTEN,
    /** The shuffle was unregistered, or its application's lease ended. */
    EXPIRED,
    /** The server had them, or may have had them, before a restart or the loss of a disk. */
    LOST,
    /** Some blocks of the attempt are there, not all. */
    INCOMPLETE,
    /**
     * No server that should hold them answered within the timeout, or it denied the connection, or
     * did not prove that it belongs to the cluster.
     */
    UNREACHABLE,
    /** They are there, but every copy is damaged. */
    CORRUPT
  }

  /**
   * Why a server did not give what it was asked for.
   *
   * @param server its name
   */
  public record Answer(String server, Reason reason) implements Serializable {}

  public MissingBlocks {
    answers = List.copyOf(answers);
  }

  /** The names of the servers that were asked. */
  public List<String> servers() {
    return answers.stream().map(Answer::server).toList();
  }
}
