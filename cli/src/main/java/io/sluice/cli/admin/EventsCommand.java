package io.sluice.cli.admin;

import io.sluice.cli.control.CoordinatorApi;
import io.sluice.cli.control.Coordinators;
import io.sluice.cli.control.OptionTypes;
import io.sluice.cli.control.QuorumOptions;
import io.sluice.coordinator.api.Resource;
import java.io.IOException;
import java.time.ZoneId;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import tools.jackson.databind.JsonNode;

/** {@code sluice admin events}. */
@Command(name = "events", description = "List events recorded by one coordinator, oldest first.")
final class EventsCommand implements Callable<Integer> {
  /** Maximum number of events in one reply of the API. */
  private static final int MAX_EVENTS = 2000;

  @Mixin private QuorumOptions quorum;
  @Mixin private Output output;

  @Option(
      names = {"-n", "--limit"},
      defaultValue = "50",
      paramLabel = "COUNT",
      description = "Number of latest events to list, at most 2000; default ${DEFAULT-VALUE}.")
  private int limit;

  @Option(
      names = "--before",
      defaultValue = "",
      paramLabel = "NUMBER",
      description =
          "List only events with a lower number, as --output wide prints it; ignored with"
              + " --follow.")
  private String before;

  @Option(names = "--server", defaultValue = "", description = "List only events of this server.")
  private String server;

  @Option(
      names = "--application",
      defaultValue = "",
      description = "List only events of this application.")
  private String application;

  @Option(
      names = {"-f", "--follow"},
      description = "Continue to print new events until Ctrl-C; with -o json, one object per line.")
  private boolean follow;

  @Option(
      names = "--interval",
      defaultValue = "2s",
      paramLabel = "TIME",
      converter = OptionTypes.Millis.class,
      description = "Poll interval of --follow; default ${DEFAULT-VALUE}.")
  private long intervalMs;

  @Option(
      names = "--looks",
      hidden = true,
      defaultValue = "0",
      description = "Number of polls after which to end.")
  private int looks;

  @Override
  public Integer call() throws IOException, InterruptedException {
    try (Coordinators coordinators = new Coordinators(quorum)) {
      if (!follow) {
        JsonNode page = poll(coordinators, Map.of("limit", limit, "before", before));
        if (output.isJson()) {
          output.json(page);
        } else {
          print(page);
        }
        return 0;
      }
      JsonNode answer = poll(coordinators, limit, 0);
      long last = 0;
      for (int done = 1; ; done++) {
        print(answer);
        last = Math.max(last, newest(answer));
        if (done == looks) {
          return 0;
        }
        TimeUnit.MILLISECONDS.sleep(intervalMs);
        answer = poll(coordinators, MAX_EVENTS, last);
        // A restarted coordinator numbers its events from one.
        if (answer.path("events").isEmpty() && newest(poll(coordinators, 1, 0)) < last) {
          last = 0;
          answer = poll(coordinators, MAX_EVENTS, 0);
        }
      }
    }
  }

  private JsonNode poll(Coordinators coordinators, int maxEvents, long after) throws IOException {
    return poll(coordinators, Map.of("limit", maxEvents, "after", after));
  }

  private JsonNode poll(Coordinators coordinators, Map<String, ?> range) throws IOException {
    Map<String, Object> query = new HashMap<>(range);
    query.put("server", server);
    query.put("application", application);
    return coordinators.first(api -> api.get(query, List.of("events")));
  }

  private static long newest(JsonNode answer) {
    return answer.path("events").path(0).path("number").asLong(0);
  }

  private void print(JsonNode answer) throws IOException {
    if (output.isJson()) {
      JsonNode events = answer.path("events");
      IntStream.range(0, events.size())
          .map(i -> events.size() - 1 - i)
          .forEach(i -> output.jsonLine(events.get(i)));
      return;
    }
    List<Resource.Event> events = CoordinatorApi.as(Resource.Events.class, answer).events();
    ZoneId zone = ZoneId.systemDefault();
    for (int i = events.size() - 1; i >= 0; i--) {
      output.line(line(events.get(i), zone));
    }
  }

  private String line(Resource.Event event, ZoneId zone) {
    return FigureText.time(event.lastTime(), zone)
        + (event.severity().equals("INFO") ? "  " : "  " + event.severity() + " ")
        + event.text()
        + (event.count() > 1 ? " (" + event.count() + " times)" : "")
        + (output.isWide() ? "  [" + event.number() + " " + event.kind() + "]" : "");
  }
}
