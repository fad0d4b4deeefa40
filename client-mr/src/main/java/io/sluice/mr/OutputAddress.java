package io.sluice.mr;

import io.sluice.client.coordinator.ShuffleAssignment;
import io.sluice.common.error.SluiceException;
import io.sluice.common.error.StatusCode;
import java.util.Optional;

/**
 * Address field of a map attempt's completion event: the address of its node manager, followed by a
 * mark if servers have the output. The mark has the form of a URL fragment.
 *
 * @param nodeManager address of the node manager, without the mark
 * @param location where the output is
 * @param assignment new generation of the job's assignment for reducers that started with an older
 *     one; empty in nearly all events
 */
public record OutputAddress(
    String nodeManager, OutputLocation location, Optional<ShuffleAssignment> assignment) {
  private static final String MARK = "#sluice=";
  private static final String SERVERS = MARK + "servers";
  private static final String BOTH = MARK + "both";
  private static final char ASSIGNMENT = ';';

  /** Encodes the address for an event. */
  public String text() throws SluiceException {
    String mark =
        switch (location) {
          case NODE_MANAGER -> "";
          case SERVERS -> SERVERS;
          case SERVERS_AND_NODE_MANAGER -> BOTH;
        };
    return nodeManager
        + mark
        + (assignment.isPresent() ? ASSIGNMENT + AssignmentVariable.encode(assignment.get()) : "");
  }

  /**
   * Decodes {@link #text}; an address without a mark belongs to a node manager.
   *
   * @throws SluiceException if the mark is unknown, because another version of Sluice wrote it
   */
  public static OutputAddress parse(String text) throws SluiceException {
    int at = text.indexOf(MARK);
    if (at < 0) {
      return new OutputAddress(text, OutputLocation.NODE_MANAGER, Optional.empty());
    }
    int end = text.indexOf(ASSIGNMENT, at);
    String mark = end < 0 ? text.substring(at) : text.substring(at, end);
    OutputLocation location =
        switch (mark) {
          case SERVERS -> OutputLocation.SERVERS;
          case BOTH -> OutputLocation.SERVERS_AND_NODE_MANAGER;
          default ->
              throw new SluiceException(
                  StatusCode.BAD_VERSION,
                  "completion event with an unknown mark; application master and tasks must use"
                      + " the same version of Sluice mark="
                      + mark);
        };
    return new OutputAddress(
        text.substring(0, at),
        location,
        end < 0
            ? Optional.empty()
            : Optional.of(AssignmentVariable.decode(text.substring(end + 1))));
  }
}
