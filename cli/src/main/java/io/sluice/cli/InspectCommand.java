package io.sluice.cli;

import io.sluice.common.block.BlockHeader;
import io.sluice.common.config.DataSize;
import io.sluice.common.run.RunBlock;
import io.sluice.common.run.RunExtent;
import io.sluice.common.run.RunReader;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code sluice inspect}. */
@Command(
    name = "inspect",
    description = {
      "Print the contents of run files and verify all checksums.",
      "The first damaged byte range ends the command with an error that names file and offset."
    })
final class InspectCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Parameters(
      arity = "1..*",
      paramLabel = "FILE",
      description = "Run files (*.run) of a shuffle server.")
  private List<Path> files;

  @Option(
      names = "--partition",
      paramLabel = "N",
      description = "Print only this partition; all partitions are verified.")
  private Integer partition;

  @Option(names = "--blocks", description = "Also print every block.")
  private boolean printBlocks;

  @Option(names = "--no-verify", description = "Verify only the index, not the blocks.")
  private boolean skipBlocks;

  @Override
  public Integer call() throws IOException {
    for (Path file : files) {
      if (!Files.isRegularFile(file)) {
        throw new IOException(file + " is not a file");
      }
      try (RunReader run = RunReader.open(file)) {
        inspect(file, run);
      }
    }
    return 0;
  }

  private void inspect(Path file, RunReader run) throws IOException {
    PrintWriter out = spec.commandLine().getOut();
    long blocks = run.extents().stream().mapToLong(RunExtent::blockCount).sum();
    out.printf(
        "%s: run %s, application %s, shuffle %d, epoch %d (%s), arrival %d%n",
        file,
        run.header().runId(),
        run.header().application(),
        run.header().shuffle(),
        run.header().order().epoch(),
        Instant.ofEpochMilli(run.header().order().epoch()),
        run.header().order().arrival());
    out.printf(
        "%d bytes (%s), %d partitions, %d blocks%n",
        run.fileLength(),
        new DataSize(run.fileLength()).toRoundedText(),
        run.extents().size(),
        blocks);
    if (!run.replaced().isEmpty()) {
      out.printf("merged from %d runs: %s%n", run.replaced().size(), run.replaced());
    }
    out.print(extents(run));
    if (printBlocks) {
      out.print(blocks(run));
    }
    out.flush();
    if (!skipBlocks) {
      run.verify();
      out.printf("verified: every block matches its checksum and the index%n");
    }
    out.flush();
  }

  private boolean isWanted(RunExtent extent) {
    return partition == null || partition == extent.partition();
  }

  private TextTable extents(RunReader run) {
    TextTable table =
        new TextTable(
            ">partition",
            ">file offset",
            ">length",
            ">logical offset",
            ">blocks",
            ">maps",
            ">marks");
    for (RunExtent extent : run.extents()) {
      if (isWanted(extent)) {
        table.row(
            extent.partition(),
            extent.fileOffset(),
            extent.length(),
            extent.logicalStart(),
            extent.blockCount(),
            extent.minMapIndex() + ".." + extent.maxMapIndex(),
            extent.marks().size());
      }
    }
    return table;
  }

  private TextTable blocks(RunReader run) throws IOException {
    TextTable table =
        new TextTable(
            ">partition", ">file offset", ">length", ">attempt", ">map", ">sequence", "flags");
    for (RunExtent extent : run.extents()) {
      if (!isWanted(extent)) {
        continue;
      }
      long at = extent.fileOffset();
      for (RunBlock block : run.blocks(extent)) {
        table.row(
            extent.partition(),
            at,
            block.length(),
            block.mapAttempt(),
            block.mapIndex(),
            block.sequence(),
            flags(block.flags()));
        at += block.length();
      }
    }
    return table;
  }

  private static String flags(int flags) {
    return ((flags & BlockHeader.FLAG_LAST) != 0 ? "LAST " : "")
        + ((flags & BlockHeader.FLAG_CONTINUED) != 0 ? "CONTINUED " : "")
        + ((flags & BlockHeader.FLAG_ENCRYPTED) != 0 ? "ENCRYPTED" : "");
  }
}
