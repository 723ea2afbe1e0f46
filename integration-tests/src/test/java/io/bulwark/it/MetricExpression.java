package io.bulwark.it;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.NullMarked;

/**
 * The metrics and labels that an expression of PromQL asks for, as far as this repository's dashboards and alerts use the language.
 *
 * @param metrics each with the labels that are matched on it
 * @param grouping the labels by which it aggregates
 */
@NullMarked
record MetricExpression(List<Selected> metrics, Set<String> grouping) {
    private static final Pattern STRING = Pattern.compile("\"(?:[^\"\\\\]|\\\\.)*\"");
    private static final Pattern GROUPING = Pattern.compile("\\b(?:by|without|on|ignoring)\\s*\\(([^)]*)\\)");
    private static final Pattern SELECTED =
            Pattern.compile("(?<![0-9a-zA-Z_:])(?!(?:and|or|unless|offset|bool|sum|max|min|avg|count)\\b)"
                    + "([a-zA-Z_:][a-zA-Z0-9_:]*)(?![a-zA-Z0-9_:]|\\s*\\()(?:\\{([^}]*)})?");
    private static final Pattern LABEL = Pattern.compile("([a-zA-Z_][a-zA-Z0-9_]*)\\s*(?:=~|!~|!=|=)");

    /** A metric, and the labels that are matched on it. */
    record Selected(String name, Set<String> labels) {}

    static MetricExpression of(String expression) {
        String plain = STRING.matcher(expression).replaceAll("\"\"");
        Set<String> grouping = new TreeSet<>();
        Matcher groups = GROUPING.matcher(plain);
        while (groups.find()) {
            for (String label : groups.group(1).split(",", -1)) {
                grouping.add(label.strip());
            }
        }
        Set<Selected> metrics = new LinkedHashSet<>();
        Matcher selected = SELECTED.matcher(GROUPING.matcher(plain).replaceAll(" "));
        while (selected.find()) {
            Set<String> labels = new TreeSet<>();
            Matcher label = LABEL.matcher(selected.group(2) == null ? "" : selected.group(2));
            while (label.find()) {
                labels.add(label.group(1));
            }
            metrics.add(new Selected(selected.group(1), labels));
        }
        return new MetricExpression(new ArrayList<>(metrics), grouping);
    }
}
