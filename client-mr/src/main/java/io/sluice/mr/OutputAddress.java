package io.sluice.mr;

import io.sluice.client.coordinator.ShuffleAssignment;
import io.sluice.common.error.SluiceException;
import io.sluice.common.error.StatusCode;
import java.util.Optional;

/**
 * What a map attempt's completion event says of the place of its output: the address of its node
 * manager, and behind that, for what is at servers, a mark that a URL would have as its fragment.
 *
 * @param nodeManager the address alone
 * @param assignment a new generation of the job's assignment, for those reducers that were started
 *     with an older one; empty in nearly all events
 */
public record OutputAddress(
    String nodeManager, OutputLocation place, Optional<ShuffleAssignment> assignment) {
  private static final String MARK = "#sluice=";
  private static final String SERVERS = MARK + "servers";
  private static final String BOTH = MARK + "both";
  private static final char ASSIGNMENT = ';';

  /** The text for an event. */
  public String text() throws SluiceException {
    String mark =
        switch (place) {
          case NODE_MANAGER -> "";
          case SERVERS -> SERVERS;
          case SERVERS_AND_NODE_MANAGER -> BOTH;
        };
    return nodeManager
        + mark
        + (assignment.isPresent() ? ASSIGNMENT + AssignmentVariable.encode(assignment.get()) : "");
  }

  /**
   * Reads {@link #text}; an address without a mark is a node manager's.
   *
   * @throws SluiceException if another version of Sluice wrote the mark
   */
  public static OutputAddress parse(String text) throws SluiceException {
    int at = text.indexOf(MARK);
    if (at < 0) {
      return new OutputAddress(text, OutputLocation.NODE_MANAGER, Optional.empty());
    }
    int end = text.indexOf(ASSIGNMENT, at);
    String mark = end < 0 ? text.substring(at) : text.substring(at, end);
    OutputLocation place =
        switch (mark) {
          case SERVERS -> OutputLocation.SERVERS;
          case BOTH -> OutputLocation.SERVERS_AND_NODE_MANAGER;
          default ->
              throw new SluiceException(
                  StatusCode.BAD_VERSION, "completion event with an unknown mark: " + mark);
        };
    return new OutputAddress(
        text.substring(0, at),
        place,
        end < 0
            ? Optional.empty()
            : Optional.of(AssignmentVariable.decode(text.substring(end + 1))));
  }
}
