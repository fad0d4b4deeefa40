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
      "Print a shell script that completes commands and options.",
      "bash: source <(sluice completion bash), or store it as"
          + " /usr/share/bash-completion/completions/sluice."
    })
final class CompletionCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  /** Shells that can read the script; zsh supports bash completions. */
  private static final Set<String> SHELLS = new TreeSet<>(Set.of("bash", "zsh"));

  /** Values of SHELL that the script completes. */
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
    // In zsh, the script loads zsh's support of bash completions.
    spec.commandLine().getOut().print(AutoComplete.bash(root.getCommandName(), root));
    spec.commandLine().getOut().flush();
    return 0;
  }
}
