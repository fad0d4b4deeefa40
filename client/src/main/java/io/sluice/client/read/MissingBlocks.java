package io.sluice.client.read;

import java.io.Serializable;
import java.util.List;

/**
 * The blocks of one map attempt in one partition, some or all of which are missing.
 *
 * @param answers results of the visited servers, in this order; with MISMATCH, the servers from
 *     which the blocks may have come
 * @param detail explanation of the reason, with the result of local output if it was read; one line
 */
public record MissingBlocks(
    int partition,
    long mapAttempt,
    int mapIndex,
    Reason reason,
    List<Answer> answers,
    String detail)
    implements Serializable {

  /** Why blocks are missing: the most specific reason of all servers and local output. */
  public enum Reason {
    /** The server has no record of them. */
    NEVER_WRITTEN,
    /** The shuffle was unregistered, or its application's lease ended. */
    EXPIRED,
    /**
     * The server stored them, or may have stored them, before a restart or the loss of a disk; or
     * its disk does not return them.
     */
    LOST,
    /** Some blocks of the attempt exist, others do not. */
    INCOMPLETE,
    /**
     * No server that should store them replied within the timeout; or it denied the connection, or
     * did not prove that it belongs to the cluster.
     */
    UNREACHABLE,
    /** They exist, but every copy is damaged. */
    CORRUPT,
    /** All blocks arrived, but their records are not those of the map task's receipt. */
    MISMATCH
  }

  /**
   * Why one server did not return the blocks.
   *
   * @param server name of the server
   */
  public record Answer(String server, Reason reason) implements Serializable {}

  public MissingBlocks {
    answers = List.copyOf(answers);
  }

  /** The names of the visited servers. */
  public List<String> servers() {
    return answers.stream().map(Answer::server).toList();
  }
}
