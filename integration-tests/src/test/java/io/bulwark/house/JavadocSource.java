package io.bulwark.house;

import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.VariableTree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.TreePath;
import com.sun.source.util.TreePathScanner;
import com.sun.source.util.Trees;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.jspecify.annotations.NullMarked;
import org.jspecify.annotations.Nullable;

/** Javadoc of a file's types, fields and constants, as plain lines of a page. */
@NullMarked
final class JavadocSource {
    private JavadocSource() {}

    /** Returns the texts by the simple names of what they describe, in the order of the file. */
    static Map<String, String> texts(Path file) throws IOException {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        Map<String, String> texts = new LinkedHashMap<>();
        try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, StandardCharsets.UTF_8)) {
            JavacTask task = (JavacTask) compiler.getTask(
                    null, files, null, List.of(), null, files.getJavaFileObjectsFromPaths(List.of(file)));
            Trees trees = Trees.instance(task);
            for (CompilationUnitTree unit : task.parse()) {
                new TreePathScanner<@Nullable Object, Map<String, String>>() {
                    @Override
                    public @Nullable Object visitClass(ClassTree type, Map<String, String> found) {
                        put(trees, getCurrentPath(), type.getSimpleName().toString(), found);
                        return super.visitClass(type, found);
                    }

                    @Override
                    public @Nullable Object visitVariable(VariableTree field, Map<String, String> found) {
                        put(trees, getCurrentPath(), field.getName().toString(), found);
                        return super.visitVariable(field, found);
                    }
                }.scan(unit, texts);
            }
        }
        return texts;
    }

    private static void put(Trees trees, TreePath path, String name, Map<String, String> found) {
        String comment = trees.getDocComment(path);
        if (comment != null) {
            found.put(
                    name,
                    comment.replaceAll("\\{@(?:code|link) #?([^}]*)}", "`$1`")
                            .replaceAll("\\s+", " ")
                            .strip());
        }
    }
}
