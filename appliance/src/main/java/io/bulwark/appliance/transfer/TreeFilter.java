package io.bulwark.appliance.transfer;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Rules that choose paths of a tree, as rclone has them: the first rule that matches decides, and a path that none matches is taken. A path
 * that is not taken does not exist for a transfer: it is neither moved nor deleted.
 */
public final class TreeFilter {
    /** Takes all paths. */
    public static final TreeFilter ALL = new TreeFilter(List.of());

    private static final long FILE_BYTES_MAX = 1 << 20;

    private final List<Rule> rules;
    private final @Nullable TreeFilter also;

    private record Rule(boolean include, Glob glob) {}

    private TreeFilter(List<Rule> rules) {
        this(rules, null);
    }

    private TreeFilter(List<Rule> rules, @Nullable TreeFilter also) {
        this.rules = List.copyOf(rules);
        this.also = also;
    }

    /** Takes what both take. */
    public TreeFilter and(TreeFilter other) {
        return also == null ? new TreeFilter(rules, other) : new TreeFilter(rules, also.and(other));
    }

    /** Takes the paths that match one of these patterns, and no others. */
    public static TreeFilter including(List<String> patterns) {
        List<Rule> rules = new ArrayList<>();
        patterns.forEach(pattern -> rules.add(new Rule(true, Glob.ofRule(pattern))));
        rules.add(new Rule(false, Glob.ofRule("**")));
        return new TreeFilter(rules);
    }

    /** Takes the paths that match none of these patterns. */
    public static TreeFilter excluding(List<String> patterns) {
        return new TreeFilter(patterns.stream()
                .map(pattern -> new Rule(false, Glob.ofRule(pattern)))
                .toList());
    }

    /**
     * Takes what lines like {@code + *.jpg} and {@code - *} take, in their order. A line {@code !} discards the lines before it. Empty lines
     * and those that begin with '#' or ';' are comments.
     *
     * @throws IllegalArgumentException with a message for people
     */
    public static TreeFilter ofLines(List<String> lines) {
        List<Rule> rules = new ArrayList<>();
        for (String line : lines) {
            String rule = line.strip();
            if (rule.isEmpty() || rule.startsWith("#") || rule.startsWith(";")) {
                continue;
            }
            if (rule.equals("!")) {
                rules.clear();
            } else if (rule.startsWith("+ ") || rule.startsWith("- ")) {
                rules.add(new Rule(
                        rule.startsWith("+"), Glob.ofRule(rule.substring(2).strip())));
            } else {
                throw new IllegalArgumentException("a rule is `+ PATTERN`, `- PATTERN` or `!`, not: " + rule);
            }
        }
        return new TreeFilter(rules);
    }

    /**
     * Reads such lines from files.
     *
     * @throws IOException if one cannot be read
     */
    public static TreeFilter from(List<Path> files) throws IOException {
        List<String> lines = new ArrayList<>();
        for (Path file : files) {
            if (Files.size(file) > FILE_BYTES_MAX) {
                throw new IOException(file + " is too long for a list of rules");
            }
            lines.addAll(Files.readAllLines(file));
        }
        return ofLines(lines);
    }

    /** Returns whether this path, relative to the tree and without a '/' in front, is taken. */
    public boolean accepts(String path) {
        return isIncluded(path) && (also == null || also.accepts(path));
    }

    private boolean isIncluded(String path) {
        for (Rule rule : rules) {
            if (rule.glob().matches(path)) {
                return rule.include();
            }
        }
        return true;
    }

    /** Returns whether it is certain that no path below this directory is taken. */
    boolean excludesAllBelow(String directory) {
        if (also != null && also.excludesAllBelow(directory)) {
            return true;
        }
        for (Rule rule : rules) {
            if (rule.include()) {
                return false; // It could match below.
            }
            if (rule.glob().matchesAllBelow(directory)) {
                return true;
            }
        }
        return false;
    }
}
