package io.sluice.cli.control;

import io.sluice.common.config.HostPort;
import io.sluice.coordinator.api.Resource;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import tools.jackson.databind.JsonNode;

/**
 * REST APIs of several coordinators. Reads use the first one that answers; admin operations are
 * sent to one of a quorum, or to all coordinators that share nothing. Used by one thread.
 */
public final class Coordinators implements AutoCloseable {
  private final List<CoordinatorApi> all = new ArrayList<>();

  /** Index of the coordinator that answered last; it is called first. */
  private int preferred;

  /** A request to a coordinator. */
  @FunctionalInterface
  public interface ApiRequest {
    JsonNode send(CoordinatorApi api) throws IOException;
  }

  /** Handles the answer of a coordinator. */
  @FunctionalInterface
  public interface AnswerHandler {
    void handle(HostPort coordinator, JsonNode answer) throws IOException;
  }

  public Coordinators(QuorumOptions quorum) {
    for (HostPort coordinator : quorum.coordinators()) {
      all.add(new CoordinatorApi(coordinator, quorum.timeoutMs()));
    }
  }

  /**
   * Returns the first successful answer.
   *
   * @throws CommandFailure if all coordinators failed, with the reason of each
   */
  public JsonNode first(ApiRequest request) throws IOException {
    List<IOException> failures = new ArrayList<>();
    for (int i = 0; i < all.size(); i++) {
      int at = (preferred + i) % all.size();
      try {
        JsonNode answer = request.send(all.get(at));
        preferred = at;
        return answer;
      } catch (IOException failure) {
        failures.add(failure);
      }
    }
    throw CommandFailure.ofAll(failures);
  }

  /** Returns a resource from the first coordinator that answers. */
  public <T> T first(Class<T> type, String... path) throws IOException {
    return CoordinatorApi.as(type, first(api -> api.get(path)));
  }

  /**
   * Sends a change of the state of the cluster to one coordinator if they share it, else to each.
   *
   * @param ignoreNotFound as in {@link #each}
   */
  public void change(ApiRequest request, boolean ignoreNotFound, AnswerHandler handler)
      throws IOException {
    if (first(Resource.Coordinators.class, "coordinators").coordinators().isEmpty()) {
      each(request, ignoreNotFound, handler);
      return;
    }
    JsonNode answer = first(request);
    handler.handle(all.get(preferred).coordinator(), answer);
  }

  /**
   * Sends a request to every coordinator; a failure does not stop the others.
   *
   * @param ignoreNotFound whether NOT_FOUND of some, but not all, coordinators is no failure
   * @throws CommandFailure with the reason of each coordinator that failed
   */
  public void each(ApiRequest request, boolean ignoreNotFound, AnswerHandler handler)
      throws IOException {
    List<IOException> failures = new ArrayList<>();
    List<IOException> notFound = new ArrayList<>();
    for (CoordinatorApi api : all) {
      try {
        handler.handle(api.coordinator(), request.send(api));
      } catch (CommandFailure failure) {
        boolean isNotFound = failure.code() == ExitCode.NOT_FOUND;
        (isNotFound && ignoreNotFound ? notFound : failures).add(failure);
      } catch (IOException failure) {
        failures.add(failure);
      }
    }
    if (notFound.size() == all.size()) {
      throw CommandFailure.ofAll(notFound);
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
