"""Single faults in a module: each replaces one expression or statement of its source."""

import ast
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

COMPARISONS: Final = {
    ast.Lt: ("<=", ">="), ast.LtE: ("<", ">"), ast.Gt: (">=", "<="), ast.GtE: (">", "<"), ast.Eq: ("!=",),
    ast.NotEq: ("==",), ast.In: ("not in",), ast.NotIn: ("in",), ast.Is: ("is not",), ast.IsNot: ("is",),
}  # fmt: skip
OPERATORS: Final = {
    ast.Add: "-", ast.Sub: "+", ast.Mult: "/", ast.Div: "*", ast.FloorDiv: "*", ast.Mod: "*", ast.Pow: "*",
    ast.BitOr: "&", ast.BitAnd: "|", ast.BitXor: "|", ast.LShift: ">>", ast.RShift: "<<",
}  # fmt: skip


class Mutation(NamedTuple):
    """Replaces the bytes from `start` to `end` of a source."""

    start: int
    end: int
    text: str
    kind: str

    def apply(self, source: bytes) -> bytes:
        """The source with this fault."""
        return source[: self.start] + self.text.encode() + source[self.end :]


def mutations(source: bytes) -> list[Mutation]:
    """All single faults of a module, in the order of its source.

    Not in annotations, decorators, imports, texts, assertions, what an error says, and what only type checkers see.
    """
    lines = [0]
    for line in source.splitlines(keepends=True):
        lines.append(lines[-1] + len(line))
    found: set[Mutation] = set()
    for node in _reached(ast.parse(source)):
        for changed, text, kind in _faults(node):
            assert changed.end_lineno is not None
            assert changed.end_col_offset is not None
            start, end = lines[changed.lineno - 1], lines[changed.end_lineno - 1]
            found.add(Mutation(start + changed.col_offset, end + changed.end_col_offset, text, kind))
    return sorted(found)


def _reached(node: ast.AST) -> Iterator[ast.AST]:
    """A node and what is within it, as far as faults are put there."""
    yield node
    parts: Iterable[ast.AST | None] = ast.iter_child_nodes(node)
    match node:
        case ast.FunctionDef() | ast.AsyncFunctionDef():
            parts = (*node.args.defaults, *node.args.kw_defaults, *node.body) if node.name != "__repr__" else ()
        case ast.ClassDef():
            parts = node.body
        case ast.AnnAssign() | ast.AugAssign():
            parts = (node.value,)
        case ast.Raise() | ast.Assert() | ast.JoinedStr() | ast.Import() | ast.ImportFrom():
            return
        case (
            ast.If(test=ast.Name("TYPE_CHECKING"))
            | ast.Assign(targets=[ast.Name("__all__")])
            | ast.Subscript(value=ast.Name("Literal" | "Annotated"))
        ):
            return
    for part in parts:
        if part is not None:
            yield from _reached(part)


def _faults(node: ast.AST) -> Iterator[tuple[ast.expr | ast.stmt, str, str]]:
    """The faults at a node itself: what is replaced, by what, and their kind."""
    match node:
        case ast.Expr(value=ast.Call() | ast.Await()):
            yield node, "pass", "statement"
        case ast.Assign() if not any(isinstance(target, ast.Name) for target in node.targets):
            yield node, "pass", "statement"
        case ast.AnnAssign(value=ast.expr()) if not isinstance(node.target, ast.Name):
            yield node, "pass", "statement"
        case ast.AugAssign():
            target, value = ast.unparse(node.target), ast.unparse(node.value)
            yield node, "pass", "statement"
            yield node, f"{target} {OPERATORS[type(node.op)]}= {value}", "arithmetic"
        case ast.If(test=ast.Name("TYPE_CHECKING")):
            pass
        case ast.If() | ast.While() | ast.IfExp() | ast.comprehension():
            for test in node.ifs if isinstance(node, ast.comprehension) else (node.test,):
                if not isinstance(test, ast.Constant):
                    yield test, "True", "condition"
                    yield test, "False", "condition"
        case ast.Return(value=ast.expr() as value) if not isinstance(value, ast.Constant):
            yield value, "None", "return value"
        case ast.Compare():
            operands = [ast.unparse(each) for each in (node.left, *node.comparators)]
            signs = [ast.unparse(ast.Compare(ast.Name(""), [each], [ast.Name("")])).strip() for each in node.ops]
            for index, operator in enumerate(node.ops):
                for other in COMPARISONS[type(operator)]:
                    pairs = zip(operands, [*signs[:index], other, *signs[index + 1 :], ""], strict=True)
                    yield node, " ".join(f"{operand} {sign}" for operand, sign in pairs).strip(), "comparison"
        case ast.BinOp(left=left, right=right) if not (_is_sequence(left) or _is_sequence(right)):
            if type(node.op) in OPERATORS:
                yield node, f"(({ast.unparse(left)}) {OPERATORS[type(node.op)]} ({ast.unparse(right)}))", "arithmetic"
        case ast.BoolOp():
            other = " or " if isinstance(node.op, ast.And) else " and "
            yield node, "(" + other.join(f"({ast.unparse(each)})" for each in node.values) + ")", "boolean"
        case ast.UnaryOp(op=ast.Not() | ast.USub()):
            yield node, f"({ast.unparse(node.operand)})", "not" if isinstance(node.op, ast.Not) else "arithmetic"
        case ast.Call(func=ast.Name("min" | "max") as name):
            yield name, "max" if name.id == "min" else "min", "min or max"
        case ast.Constant(value=bool()):
            yield node, str(not node.value), "constant"
        case ast.Constant(value=int() | float() as number):
            yield node, repr(number + 1), "constant"
            yield node, f"({number - 1!r})", "constant"
        case ast.Break():
            yield node, "continue", "break or continue"
        case ast.Continue():
            yield node, "break", "break or continue"


def _is_sequence(node: ast.expr) -> bool:
    """Where it is added to something, the sum is no number, and every other operator fails."""
    return isinstance(node, ast.JoinedStr | ast.List | ast.Tuple) or (
        isinstance(node, ast.Constant) and isinstance(node.value, str | bytes)
    )


def numbered_lines(source: bytes, mutation: Mutation) -> Iterator[str]:
    """The lines that a mutation changes, before and after, as in a diff."""
    first = source.rfind(b"\n", 0, mutation.start) + 1
    last = source.find(b"\n", mutation.end)
    before = source[first:last].decode()
    after = source[first : mutation.start].decode() + mutation.text + source[mutation.end : last].decode()
    number = source.count(b"\n", 0, first) + 1
    yield from (f"{number + offset:5} - {line}" for offset, line in enumerate(before.splitlines()))
    yield from (f"      + {line}" for line in after.splitlines())
