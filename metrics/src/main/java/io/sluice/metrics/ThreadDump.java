package io.sluice.metrics;

import io.sluice.proto.GetThreadsReply;
import io.sluice.proto.Status;
import io.sluice.proto.ThreadStack;
import java.lang.management.LockInfo;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.lang.management.ThreadMXBean;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;

/**
 * Takes thread dumps, for operators. A dump stops all threads for a moment, which is milliseconds
 * with hundreds of threads. Its size is bounded. Thread-safe.
 */
public final class ThreadDump {
  /** Maximum number of frames of a stack. */
  static final int MAX_FRAMES = 64;

  /** Maximum length of a dump in characters, less than a quarter of gRPC's longest message. */
  static final int MAX_LENGTH = 1_000_000;

  private static final long UNKNOWN = -1;

  private final ThreadMXBean threads;
  private final int maxLength;

  ThreadDump(ThreadMXBean threads, int maxLength) {
    this.threads = threads;
    this.maxLength = maxLength;
  }

  public static ThreadDump ofThisProcess() {
    return new ThreadDump(ManagementFactory.getThreadMXBean(), MAX_LENGTH);
  }

  /** Takes a dump of all threads, by name. */
  public GetThreadsReply take() {
    List<ThreadInfo> all =
        Arrays.stream(threads.dumpAllThreads(false, false, MAX_FRAMES))
            .filter(Objects::nonNull)
            .sorted(
                Comparator.comparing(ThreadInfo::getThreadName)
                    .thenComparing(ThreadInfo::getThreadId))
            .toList();
    GetThreadsReply.Builder dump = GetThreadsReply.newBuilder().setStatus(Status.OK);
    int length = 0;
    for (ThreadInfo info : all) {
      ThreadStack stack = stack(info);
      length += stack.getSerializedSize();
      if (length > maxLength) {
        break;
      }
      dump.addThreads(stack);
    }
    return dump.setOmitted(all.size() - dump.getThreadsCount()).build();
  }

  private ThreadStack stack(ThreadInfo info) {
    LockInfo lock = info.getLockInfo();
    ThreadStack.Builder stack =
        ThreadStack.newBuilder()
            .setName(info.getThreadName())
            .setId(info.getThreadId())
            .setState(info.getThreadState().name())
            .setCpuNanos(cpuNanos(info.getThreadId()))
            .setWaitsFor(lock == null ? "" : lock.toString())
            .setOwner(info.getLockOwnerName() == null ? "" : info.getLockOwnerName());
    for (StackTraceElement frame : info.getStackTrace()) {
      stack.addFrames(text(frame));
    }
    return stack.build();
  }

  /** The frame without class loader and module. */
  private static String text(StackTraceElement frame) {
    return new StackTraceElement(
            frame.getClassName(), frame.getMethodName(), frame.getFileName(), frame.getLineNumber())
        .toString();
  }

  private long cpuNanos(long id) {
    return threads.isThreadCpuTimeSupported() && threads.isThreadCpuTimeEnabled()
        ? threads.getThreadCpuTime(id)
        : UNKNOWN;
  }
}
