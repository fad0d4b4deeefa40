package io.sluice.mr;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.client.SluiceClient;
import io.sluice.client.read.BlocksMissingException;
import io.sluice.client.read.MissingBlocks;
import io.sluice.client.read.ReadCounters;
import io.sluice.client.read.ShuffleBlock;
import io.sluice.client.read.ShuffleRead;
import io.sluice.mr.KnownOutputs.Output;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import org.apache.hadoop.mapred.Reporter;
import org.apache.hadoop.mapreduce.Counters;
import org.apache.hadoop.mapreduce.TaskAttemptID;
import org.apache.hadoop.mapreduce.task.reduce.MapHost;
import org.apache.hadoop.mapreduce.task.reduce.MapOutput;
import org.apache.hadoop.mapreduce.task.reduce.ShuffleClientMetrics;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Reads seeded random interleavings of segments, some attempts incomplete, and compares the results
 * with the written data.
 */
class ServerReaderTest {
  /** Receipts that every read has compared. */
  private static final long RECEIPTS = 5;

  /** Duration of a request for the next block. */
  private static final long NEXT_MS = 3;

  private static final int MAPS = 20;
  private static final TaskAttemptID REDUCE = TaskAttemptID.forName("attempt_1_0001_r_000002_0");

  private final Queue<ShuffleBlock> blocks = new ArrayDeque<>();
  private final List<MissingBlocks> missing = new ArrayList<>();
  private final Map<TaskAttemptID, List<byte[]>> whole = new TreeMap<>();
  private final Set<Integer> missed = new TreeSet<>();
  private final Set<Integer> notRead = new TreeSet<>();
  private final Set<TaskAttemptID> unwanted = new HashSet<>();
  private final RecordingMemory memory = new RecordingMemory();
  private final org.apache.hadoop.mapred.Counters counters =
      new org.apache.hadoop.mapred.Counters();
  private NewestAssignment assignment;
  private boolean readClosed;
  private long nowMs;

  /** Memory that records outputs that were neither committed nor aborted. */
  private final class RecordingMemory implements SegmentMemory<Object, Object> {
    final Set<TaskAttemptID> names = new HashSet<>();
    final List<RecordedOutput> open = new ArrayList<>();
    boolean full;

    @Override
    public MapOutput<Object, Object> allocate(TaskAttemptID name, long rawLength, boolean mayWait)
        throws IOException {
      if (full) {
        throw new IOException("disk is full");
      }
      assertThat(names.add(name)).as("unique name: " + name).isTrue();
      assertThat(mayWait).isEqualTo(open.isEmpty());
      RecordedOutput allocated = new RecordedOutput(name);
      open.add(allocated);
      return allocated;
    }
  }

  private final class RecordedOutput extends MapOutput<Object, Object> {
    byte[] bytes;

    RecordedOutput(TaskAttemptID name) {
      super(name, 0, true);
    }

    @Override
    public void shuffle(
        MapHost host,
        InputStream input,
        long compressedLength,
        long decompressedLength,
        ShuffleClientMetrics metrics,
        Reporter reporter)
        throws IOException {
      bytes = input.readAllBytes();
      assertThat(bytes).hasSize((int) compressedLength);
      assertThat(decompressedLength).isEqualTo(compressedLength - 4);
    }

    @Override
    public void commit() {
      memory.open.remove(this);
      committed.add(bytes);
    }

    @Override
    public void abort() {
      memory.open.remove(this);
    }

    @Override
    public String getDescription() {
      return "TEST";
    }
  }

  private final List<byte[]> committed = new ArrayList<>();

  private final class Outcome implements ServerReader.Receiver<Object, Object> {
    @Override
    public boolean isNeeded(TaskAttemptID attempt) {
      return !unwanted.contains(attempt);
    }

    @Override
    public void complete(AttemptOutput<Object, Object> output) throws IOException {
      committed.clear();
      output.commit();
      whole.put(output.getMapId(), List.copyOf(committed));
    }

    @Override
    public void missing(Output output) {
      missed.add(output.map());
    }

    @Override
    public void notRead(Output output) {
      notRead.add(output.map());
    }
  }

  @BeforeEach
  void threeServers() throws IOException {
    assignment = new NewestAssignment(Assignments.of(3, 9));
  }

  private Reporter counting() {
    return (Reporter)
        Proxy.newProxyInstance(
            Reporter.class.getClassLoader(),
            new Class<?>[] {Reporter.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals("incrCounter")) {
                if (arguments[0] instanceof Enum<?> counter) {
                  counters.incrCounter(counter, (Long) arguments[1]);
                } else {
                  counters.incrCounter(
                      (String) arguments[0], (String) arguments[1], (Long) arguments[2]);
                }
              }
              return null;
            });
  }

  private ServerReader<Object, Object> reader() {
    return new ServerReader<>(
        client(),
        assignment,
        REDUCE,
        MAPS,
        memory,
        null,
        counting(),
        new Outcome(),
        () -> nowMs,
        CompletableFuture::completedFuture);
  }

  private static Output output(int map) {
    return new Output(TaskAttemptID.forName(String.format("attempt_1_0001_m_%06d_0", map)), null);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void handsOverWholeAttemptsAndNothingOfOthers(long seed) throws Exception {
    Random random = new Random(seed);
    Map<Integer, List<byte[]>> model = new HashMap<>();
    List<ShuffleBlock> all = new ArrayList<>();
    Set<Integer> incomplete = new TreeSet<>();
    List<Output> outputs = new ArrayList<>();
    for (int map = 0; map < MAPS; map++) {
      outputs.add(output(map));
      int segments = 1 + random.nextInt(4);
      List<byte[]> contents = new ArrayList<>();
      for (int i = 0; i < segments; i++) {
        byte[] bytes = new byte[6 + random.nextInt(50)];
        random.nextBytes(bytes);
        contents.add(bytes);
      }
      int lost = seed % 2 == 0 && random.nextInt(4) == 0 ? random.nextInt(segments) : -1;
      for (int i = 0; i < segments; i++) {
        if (i != lost) {
          all.add(block(map, i, i == segments - 1, contents.get(i)));
        }
      }
      if (lost >= 0) {
        incomplete.add(map);
        missing.add(missing(map));
      }
      model.put(map, contents);
    }
    Collections.shuffle(all, random);
    blocks.addAll(all);

    reader().read(outputs);

    assertThat(missed).isEqualTo(incomplete);
    assertThat(notRead).isEmpty();
    assertThat(whole).hasSize(MAPS - incomplete.size());
    whole.forEach(
        (attempt, contents) ->
            assertThat(contents.stream().map(Arrays::hashCode))
                .containsExactlyInAnyOrderElementsOf(
                    model.get(attempt.getTaskID().getId()).stream()
                        .map(Arrays::hashCode)
                        .toList()));
    assertThat(memory.open).as("outputs that were neither committed nor aborted").isEmpty();
    assertThat(readClosed).isTrue();
  }

  @Test
  void sumsTheCountersOfItsReads() throws Exception {
    ServerReader<Object, Object> reader = reader();
    for (int map = 0; map < 2; map++) {
      blocks.add(block(map, 0, true, new byte[6]));
      reader.read(List.of(output(map)));
    }

    assertThat(reader.counters().receipts()).isEqualTo(2 * RECEIPTS);
    assertThat(reader.durationMs()).as("two blocks and two ends").isEqualTo(4 * NEXT_MS);
  }

  @Test
  void outputsNotReadBeforeALossAreReadLater() throws Exception {
    blocks.add(block(0, 0, true, new byte[6]));
    missing.add(missing(1));

    reader().read(List.of(output(0), output(1), output(2)));

    assertThat(whole.keySet()).containsExactly(output(0).attempt());
    assertThat(missed).containsExactly(1);
    assertThat(notRead).containsExactly(2);
  }

  @Test
  void anOutputThatDoesNotMatchItsReceiptIsMissing() throws Exception {
    blocks.add(block(1, 0, false, new byte[6]));
    missing.add(missing(1, MissingBlocks.Reason.MISMATCH));

    reader().read(List.of(output(1), output(2)));

    assertThat(whole).isEmpty();
    assertThat(missed).containsExactly(1);
    assertThat(notRead).containsExactly(2);
    assertThat(memory.open).isEmpty();
    assertThat(SluiceCounter.WRONG_RECEIPTS.in(new Counters(counters))).isEqualTo(1);
    assertThat(SluiceCounter.MATCHED_RECEIPTS.in(new Counters(counters))).isEqualTo(RECEIPTS);
  }

  @Test
  void failsTheTaskIfAnOutputThatItMergesDoesNotMatchItsReceipt() throws Exception {
    blocks.add(block(1, 0, true, new byte[6]));
    missing.add(missing(1, MissingBlocks.Reason.MISMATCH));

    ServerReader<Object, Object> reader = reader();
    assertThatThrownBy(() -> reader.read(List.of(output(1), output(2))))
        .isExactlyInstanceOf(IOException.class)
        .hasCauseInstanceOf(BlocksMissingException.class);
  }

  @Test
  void reportsTheServerThatDidNotAnswer() throws Exception {
    missing.add(missing(0));
    reader().read(List.of(output(0)));
    assertThat(FailedServers.in(new Counters(counters))).containsExactly("server-1");
  }

  @Test
  void dropsOutputsThatAreNoLongerNeeded() throws Exception {
    unwanted.add(output(0).attempt());
    blocks.add(block(0, 0, true, new byte[6]));

    reader().read(List.of(output(0)));

    assertThat(whole).isEmpty();
    assertThat(missed).isEmpty();
    assertThat(notRead).isEmpty();
    assertThat(memory.open).isEmpty();
  }

  @Test
  void damageIsALossOfAllOpenOutputs() throws Exception {
    byte[] content = new byte[Segment.HEADER_BYTES];
    content[0] = 9;
    blocks.add(block(0, 0, true, new byte[6]));
    blocks.add(new ShuffleBlock(2, output(1).id(), 1, 0, ByteBuffer.wrap(content)));

    reader().read(List.of(output(0), output(1)));

    assertThat(whole.keySet()).containsExactly(output(0).attempt());
    assertThat(missed).containsExactly(1);
  }

  @Test
  void failsTheTaskIfASegmentCannotBeStored() throws Exception {
    memory.full = true;
    blocks.add(block(0, 0, true, new byte[6]));

    ServerReader<Object, Object> reader = reader();
    assertThatThrownBy(() -> reader.read(List.of(output(0))))
        .isExactlyInstanceOf(IOException.class)
        .hasMessage("disk is full");
    assertThat(memory.open).isEmpty();
  }

  private static ShuffleBlock block(int map, int index, boolean last, byte[] bytes) {
    byte[] content = new byte[Segment.HEADER_BYTES + bytes.length];
    System.arraycopy(bytes, 0, content, Segment.HEADER_BYTES, bytes.length);
    new Segment(index, last, bytes.length - 4).write(content);
    return new ShuffleBlock(
        2, MapAttempts.of(output(map).attempt()).id(), map, 0, ByteBuffer.wrap(content));
  }

  private static MissingBlocks missing(int map) {
    return missing(map, MissingBlocks.Reason.UNREACHABLE);
  }

  private static MissingBlocks missing(int map, MissingBlocks.Reason reason) {
    return new MissingBlocks(
        2,
        output(map).id(),
        map,
        reason,
        List.of(
            new MissingBlocks.Answer("server-0", MissingBlocks.Reason.INCOMPLETE),
            new MissingBlocks.Answer("server-1", MissingBlocks.Reason.UNREACHABLE)),
        "no answer");
  }

  /** A client whose reads return the blocks that the test has prepared. */
  private SluiceClient client() {
    return (SluiceClient)
        Proxy.newProxyInstance(
            SluiceClient.class.getClassLoader(),
            new Class<?>[] {SluiceClient.class},
            (proxy, method, arguments) -> {
              assertThat(method.getName()).isEqualTo("read");
              return new Scripted();
            });
  }

  private final class Scripted implements ShuffleRead {
    @Override
    public ShuffleBlock next() throws IOException {
      nowMs += NEXT_MS;
      ShuffleBlock next = blocks.poll();
      if (next == null && !missing.isEmpty()) {
        throw new BlocksMissingException(0, missing);
      }
      return next;
    }

    @Override
    public ReadCounters counters() {
      return new ReadCounters(
          0,
          0,
          0,
          0,
          0,
          RECEIPTS,
          0,
          ReadCounters.ZERO.requests(),
          ReadCounters.ZERO.files(),
          ReadCounters.ZERO.local(),
          ReadCounters.ZERO.servers());
    }

    @Override
    public void close() {
      readClosed = true;
    }
  }
}
