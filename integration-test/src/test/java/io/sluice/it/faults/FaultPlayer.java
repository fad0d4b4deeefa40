package io.sluice.it.faults;

import io.sluice.it.faults.FaultSchedule.Kind;
import io.sluice.it.faults.FaultSchedule.Step;
import io.sluice.localcluster.ClusterNode;
import io.sluice.localcluster.LocalCluster;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * Injects the faults of a {@link FaultSchedule} into a cluster while a job runs, and repairs each
 * after its time. A thread of its own plays the schedule; {@link #close} ends it and repairs what
 * is still broken.
 */
public final class FaultPlayer implements AutoCloseable {
  private static final String RUN_FILE = ".run";
  private static final long END_SECONDS = 120;

  private final LocalCluster cluster;
  private final List<Link> links;
  private final TaskProcesses tasks;
  private final Optional<SmallDisk> disk;
  private final Thread thread;
  private final BlockingQueue<Boolean> end = new LinkedBlockingQueue<>();
  private final List<String> injected = new ArrayList<>();
  private Throwable failure;

  /** A change of the cluster at a time. */
  private record Event(long atMs, Step step, boolean repairs) {}

  /**
   * @param links links between some task processes and servers, by number of the server; borrowed
   * @param disk disk of the last server, if it is a small one; borrowed
   */
  FaultPlayer(
      LocalCluster cluster,
      List<Link> links,
      TaskProcesses tasks,
      Optional<SmallDisk> disk,
      FaultSchedule schedule) {
    this.cluster = cluster;
    this.links = List.copyOf(links);
    this.tasks = tasks;
    this.disk = disk;
    this.thread = new Thread(() -> play(schedule), "faults");
  }

  /** Kinds of faults that are possible here. */
  static List<Kind> kinds(boolean links, boolean smallDisk) {
    Set<Kind> kinds = EnumSet.allOf(Kind.class);
    if (!links) {
      kinds.removeAll(List.of(Kind.LINK_CUT, Kind.LINK_SLOW));
    }
    if (!smallDisk) {
      kinds.remove(Kind.DISK_FULL);
    }
    return List.copyOf(kinds);
  }

  public void start() {
    thread.start();
  }

  private void play(FaultSchedule schedule) {
    List<Event> events = new ArrayList<>();
    for (Step step : schedule.steps()) {
      events.add(new Event(step.at().toMillis(), step, false));
      events.add(new Event(step.at().plus(step.length()).toMillis(), step, true));
    }
    events.sort(Comparator.comparingLong(Event::atMs));
    long beginNanos = System.nanoTime();
    List<Step> broken = new ArrayList<>();
    try {
      for (Event event : events) {
        long waitNanos =
            TimeUnit.MILLISECONDS.toNanos(event.atMs) - (System.nanoTime() - beginNanos);
        if (end.poll(waitNanos, TimeUnit.NANOSECONDS) != null) {
          break;
        }
        if (event.repairs) {
          if (broken.remove(event.step)) {
            repair(event.step);
          }
        } else if (broken.stream().noneMatch(other -> sameTarget(other, event.step))) {
          broken.add(event.step);
          inject(event.step);
        }
      }
    } catch (IOException | InterruptedException | RuntimeException e) {
      failure = e;
    }
  }

  /** Whether one of two faults would undo the other. */
  private boolean sameTarget(Step one, Step other) {
    return one.kind() == other.kind() || (node(one).isPresent() && node(one).equals(node(other)));
  }

  private Optional<ClusterNode> node(Step step) {
    return switch (step.kind()) {
      case SERVER_KILLED, SERVER_PAUSED, SERVER_RESTARTED -> Optional.of(server(step));
      case COORDINATOR_KILLED, COORDINATOR_PAUSED -> Optional.of(coordinator(step));
      default -> Optional.empty();
    };
  }

  private ClusterNode server(Step step) {
    return cluster.servers().get(step.target() % cluster.servers().size());
  }

  private ClusterNode coordinator(Step step) {
    return cluster.coordinators().get(step.target() % cluster.coordinators().size());
  }

  private Link link(Step step) {
    return links.get(step.target() % links.size());
  }

  private void inject(Step step) throws IOException, InterruptedException {
    boolean done =
        switch (step.kind()) {
          case SERVER_KILLED -> kill(server(step));
          case COORDINATOR_KILLED -> kill(coordinator(step));
          case SERVER_PAUSED -> pause(server(step));
          case COORDINATOR_PAUSED -> pause(coordinator(step));
          case SERVER_RESTARTED -> restart(server(step));
          case TASK_PROCESS_KILLED -> task(step).map(ProcessHandle::destroyForcibly).orElse(false);
          case TASK_PROCESS_PAUSED -> pauseTask(step);
          case LINK_CUT -> {
            link(step).cut();
            yield true;
          }
          case LINK_SLOW -> {
            link(step).delay(true);
            yield true;
          }
          case RUN_FILE_DAMAGED -> damageRunFile(step);
          case DISK_FULL -> {
            disk.orElseThrow().fill();
            yield true;
          }
        };
    injected.add((done ? "" : "nothing to hit: ") + step);
  }

  private static boolean kill(ClusterNode node) {
    node.kill();
    return true;
  }

  private static boolean pause(ClusterNode node) throws IOException, InterruptedException {
    Signals.stop(node.pid());
    return true;
  }

  private static boolean restart(ClusterNode node) throws IOException, InterruptedException {
    node.restart();
    return true;
  }

  private Optional<ProcessHandle> task(Step step) {
    List<ProcessHandle> running = tasks.running();
    return running.isEmpty()
        ? Optional.empty()
        : Optional.of(running.get(step.target() % running.size()));
  }

  private boolean pauseTask(Step step) throws IOException, InterruptedException {
    Optional<ProcessHandle> task = task(step);
    return task.isPresent() && signal(task.get(), Signals::stop);
  }

  private interface Signal {
    void send(long pid) throws IOException, InterruptedException;
  }

  /** Returns false if the process has ended. */
  private static boolean signal(ProcessHandle process, Signal signal)
      throws IOException, InterruptedException {
    try {
      signal.send(process.pid());
      return true;
    } catch (IOException e) {
      if (process.isAlive()) {
        throw e;
      }
      return false;
    }
  }

  /** Changes a byte in the middle of a run file of one server. */
  private boolean damageRunFile(Step step) throws IOException {
    List<Path> files;
    Path data =
        disk.isPresent() && isLast(server(step))
            ? disk.get().directory()
            : server(step).directory();
    try (Stream<Path> all = Files.walk(data)) {
      files = all.filter(file -> file.toString().endsWith(RUN_FILE)).sorted().toList();
    } catch (UncheckedIOException deletedMeanwhile) {
      return false;
    }
    if (files.isEmpty()) {
      return false;
    }
    try (RandomAccessFile file =
        new RandomAccessFile(files.get(step.target() % files.size()).toFile(), "rw")) {
      if (file.length() == 0) {
        return false;
      }
      long position = step.target() * 1_000_003L % file.length();
      file.seek(position);
      int value = file.read();
      file.seek(position);
      file.write(value ^ 1);
      return true;
    } catch (FileNotFoundException deletedMeanwhile) {
      return false;
    }
  }

  private boolean isLast(ClusterNode server) {
    return server == cluster.servers().get(cluster.servers().size() - 1);
  }

  private void repair(Step step) throws IOException, InterruptedException {
    switch (step.kind()) {
      case SERVER_KILLED, SERVER_RESTARTED, COORDINATOR_KILLED ->
          startAgain(node(step).orElseThrow());
      case SERVER_PAUSED, COORDINATOR_PAUSED -> resume(node(step).orElseThrow());
      case TASK_PROCESS_PAUSED -> resumeTasks();
      case LINK_CUT -> link(step).mend();
      case LINK_SLOW -> link(step).delay(false);
      case DISK_FULL -> disk.orElseThrow().free();
      case TASK_PROCESS_KILLED, RUN_FILE_DAMAGED -> {}
    }
  }

  private static void startAgain(ClusterNode node) throws IOException, InterruptedException {
    if (!node.isAlive()) {
      node.start();
    }
  }

  private static void resume(ClusterNode node) throws IOException, InterruptedException {
    if (node.isAlive()) {
      Signals.resume(node.pid());
    }
  }

  private void resumeTasks() throws IOException, InterruptedException {
    for (ProcessHandle task : tasks.running()) {
      signal(task, Signals::resume);
    }
  }

  /** Ends the schedule and repairs everything. Afterwards, {@link #injected} is complete. */
  @Override
  public void close() throws IOException, InterruptedException {
    if (thread.getState() != Thread.State.NEW) {
      end.add(true);
      thread.join(TimeUnit.SECONDS.toMillis(END_SECONDS));
      if (thread.isAlive()) {
        throw new IllegalStateException(
            "the faults do not end: " + List.of(thread.getStackTrace()));
      }
    }
    for (Link link : links) {
      link.mend();
      link.delay(false);
    }
    if (disk.isPresent()) {
      disk.get().free();
    }
    for (List<ClusterNode> nodes : List.of(cluster.coordinators(), cluster.servers())) {
      for (ClusterNode node : nodes) {
        resume(node);
        startAgain(node);
      }
    }
    resumeTasks();
    if (failure != null) {
      throw new IllegalStateException("a fault could not be injected: " + injected, failure);
    }
  }

  /** Faults that were injected, in their order. */
  public List<String> injected() {
    return injected;
  }
}
