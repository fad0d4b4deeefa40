package io.sluice.cli.admin;

import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.sluice.cli.control.CommandFailure;
import io.sluice.cli.control.ControlChannel;
import io.sluice.cli.control.Coordinators;
import io.sluice.cli.control.ExitCode;
import io.sluice.cli.control.QuorumOptions;
import io.sluice.common.config.HostPort;
import io.sluice.common.file.FileRights;
import io.sluice.coordinator.api.Resource;
import io.sluice.coordinator.log.Backup;
import io.sluice.coordinator.state.StateCopies;
import io.sluice.proto.BackupRequest;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code sluice admin backup}. */
@Command(
    name = "backup",
    description = {
      "Write the state of the coordinators to a file: exclusions, limits, revocations, orders to"
          + " decommission, applications, events and throughput.",
      "`sluice coordinator restore` restores it into a new coordinator or quorum."
    })
final class BackupCommand implements Callable<Integer> {
  private static final String STANDARD_OUTPUT = "-";
  private static final int ATTEMPTS = 10;
  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

  @Spec private CommandSpec spec;

  @Mixin private QuorumOptions quorum;

  @Parameters(
      paramLabel = "FILE",
      description = "New file, readable only for its owner; - for standard output.")
  private String file;

  @Option(
      names = "--without-quorum",
      description =
          "Accept the state of the first given coordinator that answers, although it may lack the"
              + " newest changes: after the loss of a majority.")
  private boolean withoutQuorum;

  @Override
  public Integer call() throws IOException {
    byte[] contents = withoutQuorum ? ofFirst() : ofLeader();
    Backup backup = Backup.decode(contents);
    PrintWriter messages = spec.commandLine().getOut();
    if (file.equals(STANDARD_OUTPUT)) {
      try (FileOutputStream out = new FileOutputStream(FileDescriptor.out)) {
        out.write(contents);
      }
      messages = spec.commandLine().getErr();
    } else {
      write(Path.of(file), contents);
    }
    messages.println(
        "saved: bytes="
            + contents.length
            + " at="
            + Instant.ofEpochMilli(backup.createdMs())
            + (backup.coordinator().isEmpty() ? "" : " coordinator=" + backup.coordinator())
            + (backup.leading() ? "" : " leading=false")
            + " "
            + StateCopies.Summary.of(backup.records()));
    return 0;
  }

  /** Repeats the call while a leader is elected. */
  private byte[] ofLeader() throws IOException {
    for (int attempt = 1; ; attempt++) {
      try {
        return read(leader());
      } catch (IOException e) {
        if (attempt == ATTEMPTS || !ceasedToLead(e)) {
          throw e;
        }
      }
      LockSupport.parkNanos(PAUSE_NANOS);
    }
  }

  private static boolean ceasedToLead(IOException e) {
    return e.getCause() instanceof StatusRuntimeException refusal
        && refusal.getStatus().getCode() == Status.Code.FAILED_PRECONDITION;
  }

  private HostPort leader() throws IOException {
    try (Coordinators coordinators = new Coordinators(quorum)) {
      List<Resource.Coordinator> members =
          coordinators.first(Resource.Coordinators.class, "coordinators").coordinators();
      if (!members.isEmpty()) {
        // The leader answers this request, so that one of them leads.
        return members.stream()
            .filter(Resource.Coordinator::leads)
            .map(member -> HostPort.parse(member.address()))
            .findFirst()
            .orElseThrow(() -> new IOException("no coordinator leads: retry later"));
      }
      if (quorum.coordinators().size() > 1) {
        throw new CommandFailure(
            ExitCode.WRONG_USAGE,
            "these coordinators share no state: name one of them in --coordinator");
      }
      return quorum.coordinators().get(0);
    }
  }

  private byte[] ofFirst() throws IOException {
    List<IOException> failures = new ArrayList<>();
    for (HostPort coordinator : quorum.coordinators()) {
      try {
        return read(coordinator);
      } catch (IOException e) {
        failures.add(e);
      }
    }
    throw CommandFailure.ofAll(failures);
  }

  private byte[] read(HostPort coordinator) throws IOException {
    try (ControlChannel channel =
        new ControlChannel("coordinator", coordinator, quorum.timeoutMs())) {
      return channel
          .admin(
              stub ->
                  stub.backup(BackupRequest.newBuilder().setWithoutQuorum(withoutQuorum).build()))
          .getFile()
          .toByteArray();
    }
  }

  private static void write(Path target, byte[] contents) throws IOException {
    try (FileChannel out =
        FileChannel.open(
            target,
            Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
            FileRights.ofNewFile(target))) {
      ByteBuffer bytes = ByteBuffer.wrap(contents);
      while (bytes.hasRemaining()) {
        out.write(bytes);
      }
      out.force(true);
    } catch (FileAlreadyExistsException e) {
      throw new IOException(target + " exists, and no file is replaced: name a new one", e);
    } catch (IOException e) {
      Files.deleteIfExists(target);
      throw new IOException(target + " cannot be written: " + e.getMessage(), e);
    }
  }
}
