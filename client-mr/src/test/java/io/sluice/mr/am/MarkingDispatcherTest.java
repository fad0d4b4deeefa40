package io.sluice.mr.am;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.mr.AssignmentVariable;
import io.sluice.mr.Assignments;
import io.sluice.mr.OutputAddress;
import io.sluice.mr.OutputLocation;
import io.sluice.mr.SluiceCounter;
import io.sluice.proto.ShuffleReceipts;
import java.lang.reflect.Proxy;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.mapreduce.Counters;
import org.apache.hadoop.mapreduce.TaskCounter;
import org.apache.hadoop.mapreduce.TypeConverter;
import org.apache.hadoop.mapreduce.v2.api.records.TaskAttemptCompletionEvent;
import org.apache.hadoop.mapreduce.v2.api.records.TaskAttemptCompletionEventStatus;
import org.apache.hadoop.mapreduce.v2.api.records.TaskAttemptId;
import org.apache.hadoop.mapreduce.v2.api.records.TaskAttemptState;
import org.apache.hadoop.mapreduce.v2.app.job.TaskAttempt;
import org.apache.hadoop.mapreduce.v2.app.job.event.JobEventType;
import org.apache.hadoop.mapreduce.v2.app.job.event.JobTaskAttemptCompletedEvent;
import org.apache.hadoop.mapreduce.v2.app.job.event.JobTaskAttemptFetchFailureEvent;
import org.apache.hadoop.mapreduce.v2.app.job.event.TaskAttemptEvent;
import org.apache.hadoop.mapreduce.v2.app.job.event.TaskAttemptEventType;
import org.apache.hadoop.mapreduce.v2.app.job.event.TaskAttemptKillEvent;
import org.apache.hadoop.yarn.event.Event;
import org.apache.hadoop.yarn.event.EventHandler;
import org.apache.hadoop.yarn.util.Records;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class MarkingDispatcherTest {
  private static final String NODE = "http://node-1.example:13562";

  private final Map<TaskAttemptId, Counters> counters = new HashMap<>();
  private final BlockingQueue<Event<?>> passed = new LinkedBlockingQueue<>();
  private final ShuffleInTest shuffle = new ShuffleInTest();
  private TaskAttemptState state = TaskAttemptState.SUCCEEDED;
  private boolean finished = true;
  private MarkingDispatcher dispatcher;

  @BeforeEach
  void start() throws Exception {
    shuffle.assignment = Optional.of(Assignments.of(3, 9));
    dispatcher = new MarkingDispatcher(this::attempt, shuffle);
    EventHandler<Event<?>> all = passed::add;
    dispatcher.register(JobEventType.class, all);
    dispatcher.register(TaskAttemptEventType.class, all);
    dispatcher.init(new Configuration());
    dispatcher.start();
  }

  @AfterEach
  void stop() {
    dispatcher.stop();
  }

  private TaskAttempt attempt(TaskAttemptId id) {
    return (TaskAttempt)
        Proxy.newProxyInstance(
            TaskAttempt.class.getClassLoader(),
            new Class<?>[] {TaskAttempt.class},
            (proxy, method, arguments) ->
                switch (method.getName()) {
                  case "getCounters" -> counters.get(id);
                  case "getState" -> state;
                  case "isFinished" -> finished;
                  default -> throw new UnsupportedOperationException(method.getName());
                });
  }

  private static TaskAttemptId id(String name) {
    return TypeConverter.toYarn(org.apache.hadoop.mapreduce.TaskAttemptID.forName(name));
  }

  private static final TaskAttemptId MAP = id("attempt_1_0001_m_000004_0");
  private static final TaskAttemptId REDUCE = id("attempt_1_0001_r_000004_0");

  private void count(TaskAttemptId id, SluiceCounter counter, long value) {
    counters.computeIfAbsent(id, none -> new Counters()).findCounter(counter).setValue(value);
  }

  /** The address in the completion event of an attempt. */
  private String address(TaskAttemptId id, TaskAttemptCompletionEventStatus status)
      throws InterruptedException {
    TaskAttemptCompletionEvent event = Records.newRecord(TaskAttemptCompletionEvent.class);
    event.setAttemptId(id);
    event.setStatus(status);
    event.setMapOutputServerAddress(NODE);
    dispatcher.getEventHandler().handle(new JobTaskAttemptCompletedEvent(event));
    assertThat(next()).isInstanceOf(JobTaskAttemptCompletedEvent.class);
    return event.getMapOutputServerAddress();
  }

  private Event<?> next() throws InterruptedException {
    return passed.poll(60, TimeUnit.SECONDS);
  }

  @Test
  void addsTheLocationOfAnOutput() throws Exception {
    count(MAP, SluiceCounter.PUSHED_SEGMENTS, 9);
    OutputAddress address =
        OutputAddress.parse(address(MAP, TaskAttemptCompletionEventStatus.SUCCEEDED));
    assertThat(address)
        .isEqualTo(new OutputAddress(NODE, OutputLocation.SERVERS, Optional.empty()));

    count(MAP, SluiceCounter.LOCAL_OUTPUTS, 1);
    assertThat(
            OutputAddress.parse(address(MAP, TaskAttemptCompletionEventStatus.SUCCEEDED))
                .location())
        .isEqualTo(OutputLocation.SERVERS_AND_NODE_MANAGER);
  }

  @Test
  void leavesOutputsAtNodeManagersUnchanged() throws Exception {
    count(MAP, SluiceCounter.LOCAL_OUTPUTS, 1);
    count(REDUCE, SluiceCounter.PUSHED_SEGMENTS, 1);

    assertThat(address(MAP, TaskAttemptCompletionEventStatus.SUCCEEDED)).isEqualTo(NODE);
    assertThat(address(REDUCE, TaskAttemptCompletionEventStatus.SUCCEEDED)).isEqualTo(NODE);
    count(MAP, SluiceCounter.PUSHED_SEGMENTS, 1);
    assertThat(address(MAP, TaskAttemptCompletionEventStatus.FAILED)).isEqualTo(NODE);
    counters.clear();
    assertThat(address(MAP, TaskAttemptCompletionEventStatus.SUCCEEDED)).isEqualTo(NODE);
  }

  @Test
  void doesNothingWithoutAnAssignment() throws Exception {
    shuffle.assignment = Optional.empty();
    count(MAP, SluiceCounter.PUSHED_SEGMENTS, 9);
    assertThat(address(MAP, TaskAttemptCompletionEventStatus.SUCCEEDED)).isEqualTo(NODE);
  }

  @Test
  void readsCountersWithoutCreatingThem() throws Exception {
    counters.put(MAP, new Counters());
    assertThat(address(MAP, TaskAttemptCompletionEventStatus.SUCCEEDED)).isEqualTo(NODE);
    assertThat(counters.get(MAP).countCounters()).isZero();
  }

  @Test
  void sendsANewGenerationToReducers() throws Exception {
    count(MAP, SluiceCounter.PUSHED_SEGMENTS, 9);
    shuffle.news = shuffle.assignment;
    assertThat(
            OutputAddress.parse(address(MAP, TaskAttemptCompletionEventStatus.SUCCEEDED))
                .assignment())
        .isEqualTo(shuffle.assignment);
  }

  @Test
  void requestsReplacementsForFailedServers() throws Exception {
    counters.put(MAP, new Counters());
    counters.get(MAP).findCounter("Sluice servers given up", "server-1").setValue(1);
    counters.put(REDUCE, new Counters());
    counters.get(REDUCE).findCounter("Sluice servers given up", "server-2").setValue(1);

    String unused = address(MAP, TaskAttemptCompletionEventStatus.SUCCEEDED);
    assertThat(shuffle.replaced).containsExactly("server-1");
    dispatcher
        .getEventHandler()
        .handle(new JobTaskAttemptFetchFailureEvent(REDUCE, List.of(MAP), "node-1"));
    assertThat(next()).isInstanceOf(JobTaskAttemptFetchFailureEvent.class);
    assertThat(shuffle.replaced).containsExactly("server-1", "server-2");
  }

  @Test
  void addsReceiptsOfTheJobAndReportsWrongOnesOnce() throws Exception {
    count(MAP, SluiceCounter.PUSHED_SEGMENTS, 9);
    counters.get(MAP).findCounter(TaskCounter.MAP_OUTPUT_RECORDS).setValue(100);
    counters.get(MAP).findCounter(TaskCounter.MAP_OUTPUT_BYTES).setValue(5000);
    String unused = address(MAP, TaskAttemptCompletionEventStatus.SUCCEEDED);
    count(REDUCE, SluiceCounter.MATCHED_RECEIPTS, 3);
    count(REDUCE, SluiceCounter.WRONG_RECEIPTS, 1);
    for (int repeated = 0; repeated < 2; repeated++) {
      dispatcher
          .getEventHandler()
          .handle(new JobTaskAttemptFetchFailureEvent(REDUCE, List.of(MAP), "node-1"));
      assertThat(next()).isInstanceOf(JobTaskAttemptFetchFailureEvent.class);
    }
    count(REDUCE, SluiceCounter.MATCHED_RECEIPTS, 4);
    count(REDUCE, SluiceCounter.WRONG_RECEIPTS, 3);
    unused = address(REDUCE, TaskAttemptCompletionEventStatus.FAILED);

    assertThat(shuffle.wrongReceipts).containsExactly(1, 2);
    assertThat(shuffle.receipts.all())
        .containsExactly(
            ShuffleReceipts.newBuilder()
                .setShuffle(AssignmentVariable.SHUFFLE)
                .setRecords(100)
                .setBytes(5000)
                .setMatched(4)
                .setWrong(3)
                .build());
  }

  @Test
  @SuppressWarnings("rawtypes") // As in Hadoop.
  void mapsWithOutputOnServersAreNotRerunAfterANodeLoss() throws Exception {
    count(MAP, SluiceCounter.PUSHED_SEGMENTS, 9);
    EventHandler<Event> events = dispatcher.getEventHandler();

    events.handle(new TaskAttemptKillEvent(MAP, "node is lost", true));
    // A kill that a user requested.
    events.handle(new TaskAttemptKillEvent(MAP, "by hand", false));
    assertThat(((TaskAttemptKillEvent) next()).getMessage()).isEqualTo("by hand");

    state = TaskAttemptState.RUNNING;
    events.handle(new TaskAttemptKillEvent(MAP, "still running", true));
    assertThat(((TaskAttemptKillEvent) next()).getMessage()).isEqualTo("still running");

    state = TaskAttemptState.SUCCEEDED;
    counters.remove(MAP);
    events.handle(new TaskAttemptKillEvent(MAP, "ordinary output", true));
    assertThat(((TaskAttemptKillEvent) next()).getMessage()).isEqualTo("ordinary output");
  }

  @Test
  @SuppressWarnings("rawtypes") // As in Hadoop.
  void mapsThatAreLeavingTheirContainerAreNotRerunAfterANodeLoss() throws Exception {
    count(MAP, SluiceCounter.PUSHED_SEGMENTS, 9);
    finished = false;
    EventHandler<Event> events = dispatcher.getEventHandler();
    Event killed = new TaskAttemptEvent(MAP, TaskAttemptEventType.TA_KILL);

    // Either may come first.
    events.handle(new TaskAttemptKillEvent(MAP, "node is lost", true));
    events.handle(killed);
    Event<?> passedOn = next();
    assertThat(passedOn.getType()).isEqualTo(TaskAttemptEventType.TA_CONTAINER_COMPLETED);
    assertThat(((TaskAttemptEvent) passedOn).getTaskAttemptID()).isEqualTo(MAP);

    count(MAP, SluiceCounter.PUSHED_SEGMENTS, 0);
    events.handle(killed);
    assertThat(next()).isSameAs(killed);

    count(MAP, SluiceCounter.PUSHED_SEGMENTS, 9);
    state = TaskAttemptState.RUNNING;
    events.handle(killed);
    assertThat(next()).isSameAs(killed);

    // A kill by a user, after the map has left its container.
    state = TaskAttemptState.SUCCEEDED;
    finished = true;
    events.handle(killed);
    assertThat(next()).isSameAs(killed);
  }
}
