package io.sluice.cli;

import java.util.Iterator;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code sluice completion}. */
@Command(
    name = "completion",
    description = {
      "Print a script that completes commands and options in a shell.",
      "bash: source <(sluice completion bash), or put it into"
          + " /usr/share/bash-completion/completions/sluice."
    })
final class CompletionCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  /** What the script can be read by; zsh has support for bash's. */
  private static final Set<String> SHELLS = new TreeSet<>(Set.of("bash", "zsh"));

  /** For the script itself. */
  static final class Shells implements Iterable<String> {
    @Override
    public Iterator<String> iterator() {
      return SHELLS.iterator();
    }
  }

  @Parameters(
      paramLabel = "SHELL",
      completionCandidates = Shells.class,
      description = "One of ${COMPLETION-CANDIDATES}.")
  private String shell;

  @Override
  public Integer call() {
    if (!SHELLS.contains(shell)) {
      throw new ParameterException(
          spec.commandLine(), "expected one of " + SHELLS + ", found \"" + shell + "\"");
    }
    CommandLine root = spec.root().commandLine();
    // The script itself loads zsh's support of bash completions where a zsh reads it.
    spec.commandLine().getOut().print(AutoComplete.bash(root.getCommandName(), root));
    spec.commandLine().getOut().flush();
    return 0;
  }
}
