package io.sluice.client.file;

import io.sluice.common.auth.ApplicationCredentials;
import io.sluice.common.net.DaemonThreads;
import io.sluice.common.tls.ClientTls;
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
 * Direct reads of run files, without their servers: the openers for local and remote files, the
 * shared open files, and the threads that read them. Thread-safe; idle threads end.
 */
public final class DirectRunFiles implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(DirectRunFiles.class);

  /**
   * Enough for a few tasks at a time, each of which reads one slice, mostly from the page cache.
   */
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

  /** No openers: everything is fetched from servers. */
  public static DirectRunFiles none() {
    return new DirectRunFiles(newExecutor(), List.of());
  }

  /** Exactly these openers. */
  public static DirectRunFiles of(List<RunFileOpener> openers) {
    return new DirectRunFiles(newExecutor(), openers);
  }

  /**
   * The openers of a configuration that the operating system and the class path support.
   *
   * @param credentials authenticate the application to servers
   * @param tls has the names in the identities of servers
   */
  public static DirectRunFiles open(
      RunFilesConfig config, ApplicationCredentials credentials, ClientTls tls) {
    ScheduledThreadPoolExecutor executor = newExecutor();
    List<RunFileOpener> openers = new ArrayList<>();
    if (config.onThisHost()) {
      openers.add(new LocalRunFiles(executor, credentials, tls, System::nanoTime));
    }
    config.remote().ifPresent(directory -> addRemote(directory, openers));
    return new DirectRunFiles(executor, openers);
  }

  private static void addRemote(RemoteDirectory directory, List<RunFileOpener> openers) {
    try {
      ServiceLoader.load(RemoteRunFiles.class, DirectRunFiles.class.getClassLoader())
          .forEach(service -> openers.add(service.below(directory)));
    } catch (ServiceConfigurationError | LinkageError e) {
      LOG.info("direct reads from remote file systems not available reason={}", e.getMessage());
    }
  }

  private static ScheduledThreadPoolExecutor newExecutor() {
    // The number of slices in flight bounds its queue.
    ScheduledThreadPoolExecutor executor =
        new ScheduledThreadPoolExecutor(THREADS, DaemonThreads.numbered("sluice-run-files"));
    executor.setKeepAliveTime(IDLE_SECONDS, TimeUnit.SECONDS);
    executor.allowCoreThreadTimeOut(true);
    executor.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    return executor;
  }

  /** The kinds of files of a server that can be opened. */
  List<RunFileKind> kinds(RunFileSource source) {
    return openers.stream()
        .filter(opener -> opener.mayOpen(source))
        .map(RunFileOpener::kind)
        .toList();
  }

  /** The opener of files of a kind; null if there is none. */
  RunFileOpener opener(RunFileKind kind) {
    for (RunFileOpener opener : openers) {
      if (opener.kind() == kind) {
        return opener;
      }
    }
    return null;
  }

  /** Whether files of a kind at a server can be opened. */
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

  /** Closes connections and ends threads; reads in progress fail. Idempotent. */
  @Override
  public void close() {
    executor.shutdown();
    inputs.close();
    openers.forEach(RunFileOpener::close);
  }
}
