package io.sluice.coordinator.raft;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import io.sluice.coordinator.log.Backup;
import io.sluice.coordinator.log.MetadataLog;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Three coordinators in this process, with the real replication and a network of method calls.
 *
 * <p>On a busy machine another coordinator can be elected at any time, so that tests use the
 * coordinator that leads now.
 */
@Timeout(300)
class CoordinatorGroupTest {
  private static final String A = "a:1";
  private static final String B = "b:1";
  private static final String C = "c:1";
  private static final String D = "d:1";
  private static final List<String> ALL = List.of(A, B, C);

  /** A coordinator whose state is the list of all records. */
  private final class Node {
    private final CoordinatorGroup group;
    private final MetadataLog log;
    private List<String> records = new ArrayList<>();

    Node(String name) {
      group =
          new CoordinatorGroup(
              ALL, name, directory.resolve(name), network.from(name), System::nanoTime);
      log = group.log();
      network.add(group);
    }

    void poll() {
      for (Optional<MetadataLog.Delivery> next = log.poll(); next.isPresent(); next = log.poll()) {
        if (next.get() instanceof MetadataLog.Delivery.Appended appended) {
          appended.records().forEach(record -> records.add(new String(record, UTF_8)));
        } else if (next.get() instanceof MetadataLog.Delivery.Replaced replaced) {
          records = new ArrayList<>();
          replaced.snapshot().forEach(record -> records.add(new String(record, UTF_8)));
        }
      }
    }

    void append(String record) throws IOException {
      log.append(List.of(record.getBytes(UTF_8)));
      records.add(record);
    }

    void snapshot() throws IOException {
      log.replace(records.stream().map(record -> record.getBytes(UTF_8)).toList());
    }
  }

  @TempDir Path directory;
  private final GroupNetwork network = new GroupNetwork();
  private final Map<String, Node> nodes = new LinkedHashMap<>();

  @BeforeEach
  void startAll() throws IOException {
    for (String name : ALL) {
      start(name);
    }
  }

  @AfterEach
  void stopAll() {
    List.copyOf(nodes.keySet()).forEach(this::stop);
  }

  private Node start(String name) throws IOException {
    Node node = new Node(name);
    nodes.put(name, node);
    node.group.start();
    return node;
  }

  private void stop(String name) {
    network.remove(name);
    nodes.remove(name).group.close();
  }

  /** Polls all nodes until a condition holds; the timeout of the test ends the wait. */
  private void await(BooleanSupplier condition) {
    while (true) {
      nodes.values().forEach(Node::poll);
      if (condition.getAsBoolean()) {
        return;
      }
      LockSupport.parkNanos(1_000_000);
      if (Thread.currentThread().isInterrupted()) {
        throw new AssertionError(
            "timeout: "
                + nodes.values().stream()
                    .map(node -> node.group.self() + " " + node.group.problem() + node.records)
                    .toList());
      }
    }
  }

  private Node leader() {
    await(() -> nodes.values().stream().anyMatch(node -> node.log.leads()));
    return nodes.values().stream().filter(node -> node.log.leads()).findFirst().orElseThrow();
  }

  /** Waits until one coordinator leads and all others know it. */
  private Node knownLeader() {
    List<Node> leading = new ArrayList<>();
    await(
        () -> {
          leading.clear();
          nodes.values().stream().filter(node -> node.log.leads()).forEach(leading::add);
          return leading.size() == 1
              && nodes.values().stream()
                  .allMatch(
                      node ->
                          node.group.problem().isEmpty()
                              && node.group
                                  .otherLeader()
                                  .equals(
                                      node == leading.get(0)
                                          ? Optional.empty()
                                          : Optional.of(leading.get(0).group.self())));
        });
    return leading.get(0);
  }

  private Node follower() {
    Node leader = leader();
    return nodes.values().stream().filter(node -> node != leader).findFirst().orElseThrow();
  }

  /** Appends a record once, also if elections happen meanwhile. */
  private void append(String record) {
    await(
        () ->
            nodes.values().stream()
                .filter(node -> node.log.leads())
                .anyMatch(node -> node.records.contains(record) || isAppended(node, record)));
  }

  private static boolean isAppended(Node node, String record) {
    try {
      node.append(record);
      return true;
    } catch (IOException e) {
      // It is in the records of the next leader if it was committed after all.
      return false;
    }
  }

  /** A change of the members. */
  private interface Change {
    void on(CoordinatorGroup leader) throws IOException;
  }

  private void change(Change change) {
    await(
        () ->
            nodes.values().stream()
                .filter(node -> node.log.leads())
                .anyMatch(node -> isChanged(node.group, change)));
  }

  private static boolean isChanged(CoordinatorGroup leader, Change change) {
    try {
      change.on(leader);
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  private void awaitAll(String... records) {
    await(() -> nodes.values().stream().allMatch(node -> node.records.equals(List.of(records))));
  }

  private static void delete(Path root) throws IOException {
    try (Stream<Path> all = Files.walk(root)) {
      for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(path);
      }
    }
  }

  @Test
  void followersGetTheRecordsOfTheLeader() {
    append("one");
    append("two");

    awaitAll("one", "two");
    assertThat(knownLeader().records).containsExactly("one", "two");
  }

  @Test
  void anotherCoordinatorLeadsWhenTheLeaderEnds() throws IOException {
    append("one");
    String first = leader().group.self();
    stop(first);

    assertThat(leader().records).containsExactly("one");
    append("two");
    start(first);
    awaitAll("one", "two");
  }

  @Test
  void aLeaderThatIsCutOffDoesNotLead() {
    append("one");
    Node first = leader();
    network.cutOff(first.group.self());

    assertThatThrownBy(() -> first.append("lost")).isInstanceOf(IOException.class);

    assertThat(first.log.leads()).isFalse();
    await(() -> first.group.problem().orElse("").startsWith("no quorum"));
    append("two");
    network.heal();
    awaitAll("one", "two");
  }

  @Test
  void aLeaderThatCannotWriteItsLogLeavesTheGroup() throws IOException {
    append("one");
    awaitAll("one");
    Node first = leader();

    ((SharedLog) first.log).failed("No space left on device");

    assertThat(first.log.leads()).isFalse();
    assertThat(first.group.problem())
        .hasValueSatisfying(why -> assertThat(why).contains("No space"));
    append("two");
    List<Node> others = nodes.values().stream().filter(node -> node != first).toList();
    await(() -> others.stream().allMatch(node -> node.records.equals(List.of("one", "two"))));
    await(() -> others.stream().allMatch(node -> node.group.problem().isEmpty()));
    stop(first.group.self());
    start(first.group.self());
    awaitAll("one", "two");
  }

  @Test
  void callsToALeaderThatIsCutOffEndWithTheNextElection() {
    Node first = knownLeader();
    List<Node> others = nodes.values().stream().filter(node -> node != first).toList();
    String name = first.group.self();
    assertThat(others.get(0).group.toLeader("Call", ByteString.EMPTY))
        .isCompletedWithValue(ByteString.copyFromUtf8(name + " Call"));
    network.cutOff(name);

    List<CompletableFuture<ByteString>> replies =
        others.stream().map(node -> node.group.toLeader("Call", ByteString.EMPTY)).toList();

    await(() -> replies.stream().allMatch(CompletableFuture::isCompletedExceptionally));
    assertThatThrownBy(replies.get(0)::join).hasMessageContaining(name + " no longer leads");
  }

  @Test
  void aCoordinatorThatWasAwayGetsASnapshot() throws IOException {
    append("one");
    awaitAll("one");
    String away = follower().group.self();
    stop(away);
    for (int i = 0; i < 20; i++) {
      append("more" + i);
    }
    leader().snapshot();
    append("last");

    start(away);

    await(() -> nodes.get(away).records.size() == 22);
    assertThat(nodes.get(away).records).startsWith("one", "more0").endsWith("more19", "last");
    stopAll();
    startAll();
    await(() -> nodes.values().stream().allMatch(node -> node.records.size() == 22));
  }

  @Test
  void aCoordinatorThatLostItsDataDoesNotVote() throws IOException {
    append("one");
    String lost = follower().group.self();
    stop(lost);
    delete(directory.resolve(lost));

    start(lost);

    await(() -> nodes.get(lost).group.problem().orElse("").contains("the data directory is empty"));
    change(leader -> leader.remove(lost));
    await(() -> nodes.get(lost).group.problem().orElse("").startsWith("no quorum"));
    change(leader -> leader.add(lost));
    awaitAll("one");
    assertThat(leader().group.members()).containsExactlyElementsOf(ALL);
  }

  @Test
  void aCoordinatorCanBeReplaced() throws IOException {
    append("one");
    String old = follower().group.self();
    stop(old);
    start(D);
    await(() -> nodes.get(D).group.problem().orElse("").startsWith("no quorum"));

    change(leader -> leader.add(D));
    change(leader -> leader.remove(old));

    append("two");
    awaitAll("one", "two");
    assertThat(leader().group.members()).contains(D).doesNotContain(old);
  }

  @Test
  void aCoordinatorThatWasAwayIsBehindUntilItHasTheChanges() throws IOException {
    append("one");
    String away = follower().group.self();
    stop(away);
    append("two");

    Node returned = start(away);

    while (returned.group.otherLeader().isEmpty()) {
      nodes.values().stream().filter(node -> node != returned).forEach(Node::poll);
      assertThat(returned.group.behind()).isPresent();
    }
    assertThat(returned.records).isEmpty();
    assertThat(returned.group.behind()).isPresent();
    await(() -> returned.group.behind().isEmpty());
    assertThat(returned.records).containsExactly("one", "two");
  }

  @Test
  void aNewQuorumBeginsWithARestoredBackup() throws IOException {
    stopAll();
    byte[] file = backup("excluded", "revoked");
    for (String name : ALL) {
      delete(directory.resolve(name));
      RestoredBackup.store(directory.resolve(name), file);
    }

    startAll();

    awaitAll("excluded", "revoked");
    append("more");
    awaitAll("excluded", "revoked", "more");
    for (String name : ALL) {
      assertThat(directory.resolve(name).resolve("restore")).doesNotExist();
    }
    String away = leader().group.self();
    stop(away);
    delete(directory.resolve(away));
    change(leader -> leader.remove(away));
    start(away);
    await(() -> nodes.get(away).group.problem().orElse("").startsWith("no quorum"));
    change(leader -> leader.add(away));
    awaitAll("excluded", "revoked", "more");
    stopAll();
    startAll();
    awaitAll("excluded", "revoked", "more");
  }

  @Test
  void noQuorumFormsUntilAllHaveTheSameBackup() throws IOException {
    stopAll();
    for (String name : ALL) {
      delete(directory.resolve(name));
    }
    RestoredBackup.store(directory.resolve(A), backup("excluded"));
    RestoredBackup.store(directory.resolve(B), backup("excluded"));

    startAll();

    await(() -> nodes.get(C).group.problem().orElse("").contains("restored backups differ"));
    stop(C);
    RestoredBackup.store(directory.resolve(C), backup("excluded"));
    start(C);
    awaitAll("excluded");
  }

  @Test
  void aDamagedBackupDoesNotStart() throws IOException {
    stop(C);
    delete(directory.resolve(C));
    byte[] damaged = backup("excluded");
    damaged[damaged.length - 1] ^= 1;
    RestoredBackup.store(directory.resolve(C), damaged);

    assertThatThrownBy(() -> start(C))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("restore: the checksum does not match")
        .hasMessageNotContaining("\n");
  }

  private static byte[] backup(String... records) throws IOException {
    return new Backup(0, A, true, Stream.of(records).map(record -> record.getBytes(UTF_8)).toList())
        .encode();
  }

  @Test
  void aDamagedLogDoesNotStart() throws IOException {
    append("one".repeat(1000));
    append("two".repeat(1000));
    String damaged = follower().group.self();
    await(() -> nodes.get(damaged).records.size() == 2);
    stop(damaged);
    Path open;
    try (Stream<Path> all = Files.walk(directory.resolve(damaged))) {
      open =
          all.filter(path -> path.getFileName().toString().startsWith("log_"))
              .findFirst()
              .orElseThrow();
    }
    byte[] bytes = Files.readAllBytes(open);
    bytes[1500] ^= 1;
    Files.write(open, bytes);

    assertThatThrownBy(() -> start(damaged))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("the log of the quorum")
        .hasMessageNotContaining("\n");
  }
}
