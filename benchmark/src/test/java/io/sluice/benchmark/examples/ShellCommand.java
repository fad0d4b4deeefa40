package io.sluice.benchmark.examples;

import io.sluice.common.docs.Example;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * A command of a shell script: its words without quotes. The reader knows quotes, comments,
 * continued lines, lists, pipelines and the keywords of loops. It expands nothing.
 *
 * @param words the program and its arguments, without assignments before them
 */
record ShellCommand(List<String> words) {
  private static final Set<String> KEYWORDS =
      Set.of("do", "then", "else", "if", "elif", "while", "until", "!", "{", "exec");
  private static final Set<String> WITHOUT_COMMAND = Set.of("done", "fi", "for", "}");
  private static final String SEPARATORS = ";|&()\n";

  /** The commands of a block, in their order. */
  static List<ShellCommand> of(Example example) {
    return of(example.text());
  }

  static List<ShellCommand> of(String script) {
    return new Reader(script).read();
  }

  String program() {
    return words.get(0);
  }

  List<String> arguments() {
    return words.subList(1, words.size());
  }

  @Override
  public String toString() {
    return String.join(" ", words);
  }

  /** Splits a script. */
  private static final class Reader {
    private final String script;
    private final List<ShellCommand> commands = new ArrayList<>();
    private List<String> words = new ArrayList<>();
    private StringBuilder word;
    private int at;

    Reader(String script) {
      this.script = script.replace("\\\n", " ");
    }

    List<ShellCommand> read() {
      while (at < script.length()) {
        char c = script.charAt(at++);
        if (c == '\'') {
          quoted(c);
        } else if (c == '"') {
          quoted(c);
        } else if (c == '$' && at < script.length() && script.charAt(at) == '(') {
          substitution();
        } else if (c == '#' && word == null) {
          skipComment();
        } else if (c == '<' || c == '>') {
          skipRedirection();
        } else if (SEPARATORS.indexOf(c) >= 0) {
          endCommand();
        } else if (c == ' ') {
          endWord();
        } else {
          append(c);
        }
      }
      endCommand();
      return commands;
    }

    private void append(char c) {
      if (word == null) {
        word = new StringBuilder();
      }
      word.append(c);
    }

    private void quoted(char quote) {
      if (word == null) {
        word = new StringBuilder();
      }
      while (at < script.length() && script.charAt(at) != quote) {
        word.append(script.charAt(at++));
      }
      at++;
    }

    /** Kept as it is, up to the parenthesis that closes it. */
    private void substitution() {
      append('$');
      int open = 0;
      do {
        char c = script.charAt(at++);
        open += c == '(' ? 1 : c == ')' ? -1 : 0;
        append(c);
      } while (open > 0 && at < script.length());
    }

    private void skipComment() {
      while (at < script.length() && script.charAt(at) != '\n') {
        at++;
      }
    }

    /** The file of a redirection, and the number of the descriptor before it, are no words. */
    private void skipRedirection() {
      if (word != null && word.chars().allMatch(Character::isDigit)) {
        word = null;
      }
      endWord();
      while (at < script.length() && " <>&".indexOf(script.charAt(at)) >= 0) {
        at++;
      }
      while (at < script.length() && (SEPARATORS + " ").indexOf(script.charAt(at)) < 0) {
        at++;
      }
    }

    private void endWord() {
      if (word != null) {
        words.add(word.toString());
        word = null;
      }
    }

    private void endCommand() {
      endWord();
      while (!words.isEmpty() && (KEYWORDS.contains(words.get(0)) || isAssignment(words.get(0)))) {
        words.remove(0);
      }
      if (!words.isEmpty() && !WITHOUT_COMMAND.contains(words.get(0))) {
        commands.add(new ShellCommand(List.copyOf(words)));
      }
      words = new ArrayList<>();
    }

    private static boolean isAssignment(String text) {
      return text.matches("[A-Za-z_]\\w*=.*");
    }
  }
}
