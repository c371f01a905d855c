package dev.jobqueue.build;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.Tree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.SourcePositions;
import com.sun.source.util.TreePathScanner;
import com.sun.source.util.Trees;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Limits that keep methods of main code readable, with the exceptions and their reasons. */
class MethodSizeTests {

    private static final int MOST_LINES = 30;
    private static final int MOST_PARAMETERS = 5;

    /** Methods whose body may be longer. */
    private static final Map<String, String> LONG_METHODS = Map.of(
            "queue-dashboard/src/main/java/dev/jobqueue/dashboard/Actions.java#onJob",
            "a switch with a short case for each thing that people do with a job");

    private static final List<Method> methods = new ArrayList<>();

    /** A method or a constructor of main code, named by its file: {@code queue-core/.../Job.java#of}. */
    private record Method(String name, int line, int lines, int parameters, boolean isConstructorOfClass) {

        @Override
        public String toString() {
            return "%s (line %d): %d lines, %d parameters".formatted(name, line, lines, parameters);
        }
    }

    @BeforeAll
    static void read() throws IOException {
        SourceTree tree = SourceTree.ofThisProject();
        List<Path> files = tree.files(".java").stream()
                .filter(file -> file.contains("/src/main/"))
                .map(tree::path)
                .toList();
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        try (StandardJavaFileManager manager = compiler.getStandardFileManager(null, null, null)) {
            JavacTask task = (JavacTask) compiler.getTask(
                    null, manager, null, null, null, manager.getJavaFileObjects(files.toArray(Path[]::new)));
            SourcePositions positions = Trees.instance(task).getSourcePositions();
            for (CompilationUnitTree unit : task.parse()) {
                String file = tree.name(Path.of(unit.getSourceFile().toUri()));
                new MethodReader(file, unit, positions).scan(unit, null);
            }
        }
    }

    @Test
    void keepsMethodsShort() {
        assertThat(methods)
                .hasSizeGreaterThan(1_000)
                .filteredOn(method -> method.lines > MOST_LINES && !LONG_METHODS.containsKey(method.name))
                .isEmpty();
    }

    /** Records may have more, because they only carry data. */
    @Test
    void keepsConstructorsOfClassesSmall() {
        assertThat(methods)
                .filteredOn(method -> method.isConstructorOfClass && method.parameters > MOST_PARAMETERS)
                .isEmpty();
    }

    @Test
    void hasNoExceptionThatIsNotNeeded() {
        assertThat(LONG_METHODS.keySet())
                .allMatch(name ->
                        methods.stream().anyMatch(method -> method.name.equals(name) && method.lines > MOST_LINES));
    }

    private static final class MethodReader extends TreePathScanner<Void, Void> {

        private final String file;
        private final CompilationUnitTree unit;
        private final SourcePositions positions;

        MethodReader(String file, CompilationUnitTree unit, SourcePositions positions) {
            this.file = file;
            this.unit = unit;
            this.positions = positions;
        }

        @Override
        public Void visitMethod(MethodTree method, Void nothing) {
            boolean isOfRecord = getCurrentPath().getParentPath().getLeaf() instanceof ClassTree type
                    && type.getKind() == Tree.Kind.RECORD;
            boolean isConstructor = method.getName().contentEquals("<init>");
            methods.add(new Method(
                    file + "#" + method.getName(),
                    (int) line(positions.getStartPosition(unit, method)),
                    method.getBody() == null ? 0 : linesWithin(method.getBody()),
                    method.getParameters().size(),
                    isConstructor && !isOfRecord));
            return super.visitMethod(method, null);
        }

        /** The lines between the braces. */
        private int linesWithin(Tree body) {
            return (int) (line(positions.getEndPosition(unit, body)) - line(positions.getStartPosition(unit, body)))
                    - 1;
        }

        private long line(long position) {
            return unit.getLineMap().getLineNumber(position);
        }
    }
}
