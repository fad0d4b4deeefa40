package io.sluice.client.file;

import io.sluice.common.auth.ApplicationCredentials;
import io.sluice.common.net.DaemonThreads;
import io.sluice.proto.RunFileKind;
import java.util.ArrayList;
import java.util.List;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The ways in which one process reads run files itself, with the threads that do it. Thread-safe;
 * threads end when they have nothing to do.
 */
public final class DirectRunFiles implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(DirectRunFiles.class);

  /** Reads of a few tasks at a time, each of a slice, mostly from the page cache. */
  private static final int THREADS = 4;

  private static final long IDLE_SECONDS = 10;

  private final List<RunFileOpener> openers;
  private final SharedInputs inputs;
  private final ScheduledThreadPoolExecutor executor;

  private DirectRunFiles(ScheduledThreadPoolExecutor executor, List<RunFileOpener> openers) {
    this.executor = executor;
    this.openers = List.copyOf(openers);
    this.inputs = new SharedInputs(executor, System::nanoTime);
  }

  /** No way: everything is fetched. */
  public static DirectRunFiles none() {
    return new DirectRunFiles(newExecutor(), List.of());
  }

  /** Exactly these ways. */
  public static DirectRunFiles of(List<RunFileOpener> openers) {
    return new DirectRunFiles(newExecutor(), openers);
  }

  /**
   * The ways that a configuration allows, as far as the system and the class path have them.
   *
   * @param credentials prove the application where servers ask for it
   */
  public static DirectRunFiles open(RunFilesConfig config, ApplicationCredentials credentials) {
    ScheduledThreadPoolExecutor executor = newExecutor();
    List<RunFileOpener> openers = new ArrayList<>();
    if (config.onThisHost()) {
      openers.add(new LocalRunFiles(executor, credentials));
    }
    config.remote().ifPresent(directory -> addRemote(directory, openers));
    return new DirectRunFiles(executor, openers);
  }

  private static void addRemote(RemoteDirectory directory, List<RunFileOpener> openers) {
    try {
      ServiceLoader.load(RemoteRunFiles.class, DirectRunFiles.class.getClassLoader())
          .forEach(service -> openers.add(service.below(directory)));
    } catch (ServiceConfigurationError | LinkageError e) {
      LOG.info("a way to read run files is left out reason={}", e.getMessage());
    }
  }

  private static ScheduledThreadPoolExecutor newExecutor() {
    // Its queue is bounded by the slices that reads keep in flight.
    ScheduledThreadPoolExecutor executor =
        new ScheduledThreadPoolExecutor(THREADS, DaemonThreads.numbered("sluice-run-files"));
    executor.setKeepAliveTime(IDLE_SECONDS, TimeUnit.SECONDS);
    executor.allowCoreThreadTimeOut(true);
    executor.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    return executor;
  }

  /** The kinds of a server's files that may be read. */
  List<RunFileKind> kinds(RunFileSource source) {
    return openers.stream()
        .filter(opener -> opener.mayOpen(source))
        .map(RunFileOpener::kind)
        .toList();
  }

  /** Who opens files of a kind, or null. */
  RunFileOpener opener(RunFileKind kind) {
    for (RunFileOpener opener : openers) {
      if (opener.kind() == kind) {
        return opener;
      }
    }
    return null;
  }

  /** Whether files of a kind that a server named may be read. */
  public boolean mayOpen(RunFileSource source, RunFileKind kind) {
    RunFileOpener opener = opener(kind);
    return opener != null && opener.mayOpen(source);
  }

  SharedInputs inputs() {
    return inputs;
  }

  Executor executor() {
    return executor;
  }

  /** Ends connections and threads; what is being read then fails. Idempotent. */
  @Override
  public void close() {
    executor.shutdown();
    inputs.close();
    openers.forEach(RunFileOpener::close);
  }
}
