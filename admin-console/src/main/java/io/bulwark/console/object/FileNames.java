package io.bulwark.console.object;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * Names of files that downloads suggest. Keys are arbitrary text that others chose, and the names must do no harm on any
 * system: no path leaves the folder, and no character hides what the name is.
 */
final class FileNames {
    private static final String RESERVED = "<>:\"/\\|?*";
    private static final Set<String> DEVICES = Set.of("con", "prn", "aux", "nul");
    private static final String UNNAMED = "unnamed";

    private FileNames() {}

    /** Returns the name for a download of this object. */
    static String of(String key) {
        String path = key.endsWith("/") ? key.substring(0, key.length() - 1) : key;
        return safe(path.substring(path.lastIndexOf('/') + 1));
    }

    /** Returns the relative path of an object in an archive, without empty, {@code .} and {@code ..} parts. */
    static String path(String key) {
        List<String> parts = new ArrayList<>();
        for (String part : key.split("/", -1)) {
            if (!part.isEmpty()) {
                parts.add(safe(part));
            }
        }
        return parts.isEmpty() ? UNNAMED : String.join("/", parts);
    }

    private static String safe(String part) {
        StringBuilder name = new StringBuilder();
        part.codePoints().forEach(c -> {
            int type = Character.getType(c);
            boolean hides = type == Character.FORMAT
                    || type == Character.CONTROL
                    || type == Character.LINE_SEPARATOR
                    || type == Character.PARAGRAPH_SEPARATOR
                    || type == Character.SURROGATE
                    || type == Character.UNASSIGNED;
            name.appendCodePoint(hides || RESERVED.indexOf(c) >= 0 ? '_' : c);
        });
        // Windows drops dots and spaces at the end, so that "..." and ".. " would become paths.
        int end = name.length();
        while (end > 0 && (name.charAt(end - 1) == '.' || name.charAt(end - 1) == ' ')) {
            name.setCharAt(--end, '_');
        }
        if (name.isEmpty()) {
            return UNNAMED;
        }
        int dot = name.indexOf(".");
        String stem = (dot < 0 ? name.toString() : name.substring(0, dot)).toLowerCase(Locale.ROOT);
        boolean device = DEVICES.contains(stem) || stem.matches("(com|lpt)[0-9]");
        return device ? "_" + name : name.toString();
    }
}
