package io.sluice.cli.control;

import io.sluice.common.config.HostPort;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import tools.jackson.databind.JsonNode;

/**
 * The REST APIs of several coordinators: one that answers is enough to look, and what each of them
 * decides for itself is told to each. Belongs to one thread.
 */
public final class Coordinators implements AutoCloseable {
  private final List<CoordinatorApi> all = new ArrayList<>();

  /** The one that answered last is asked first. */
  private int preferred;

  /** Asks a coordinator. */
  @FunctionalInterface
  public interface Question {
    JsonNode ask(CoordinatorApi api) throws IOException;
  }

  /** Takes what a coordinator has done. */
  @FunctionalInterface
  public interface Done {
    void at(HostPort coordinator, JsonNode answer) throws IOException;
  }

  public Coordinators(QuorumOptions quorum) {
    for (HostPort coordinator : quorum.coordinators()) {
      all.add(new CoordinatorApi(coordinator, quorum.timeoutMs()));
    }
  }

  /**
   * The answer of the first that has one.
   *
   * @throws CommandFailure each and why it has none
   */
  public JsonNode first(Question question) throws IOException {
    List<IOException> failures = new ArrayList<>();
    for (int i = 0; i < all.size(); i++) {
      int at = (preferred + i) % all.size();
      try {
        JsonNode answer = question.ask(all.get(at));
        preferred = at;
        return answer;
      } catch (IOException failure) {
        failures.add(failure);
      }
    }
    throw CommandFailure.ofAll(failures);
  }

  /** As {@link #first(Question)}, of a resource. */
  public <T> T first(Class<T> type, String... path) throws IOException {
    return CoordinatorApi.as(type, first(api -> api.get(path)));
  }

  /**
   * Has each of them do something; one that fails keeps no other from it.
   *
   * @param someUnknowing whether it is right that some do not know what is named
   * @throws CommandFailure each that has not done it, and why
   */
  public void each(Question act, boolean someUnknowing, Done done) throws IOException {
    List<IOException> failures = new ArrayList<>();
    List<IOException> unknowing = new ArrayList<>();
    for (CoordinatorApi api : all) {
      try {
        done.at(api.coordinator(), act.ask(api));
      } catch (CommandFailure failure) {
        boolean unknown = failure.code() == ExitCode.NOT_FOUND;
        (unknown && someUnknowing ? unknowing : failures).add(failure);
      } catch (IOException failure) {
        failures.add(failure);
      }
    }
    if (unknowing.size() == all.size()) {
      throw CommandFailure.ofAll(unknowing);
    }
    if (!failures.isEmpty()) {
      throw CommandFailure.ofAll(failures);
    }
  }

  @Override
  public void close() {
    all.forEach(CoordinatorApi::close);
  }
}
